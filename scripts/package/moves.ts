import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addSettings, type Booted, removeSettings } from './booted.ts';
import { blockFor, requireInBrowser } from './browser.ts';
import { root } from './files.ts';

const post = 'From the archive.';

/**
 * What docs/hosting.md says of a backup, followed where the service runs: restored, tried, encrypted, and
 * moved to PostgreSQL, also behind PgBouncer.
 */
export async function followMoves(debian: Booted): Promise<string[]> {
  const [saved = ''] = /coterie-\S+\.tar/.exec(debian.run('coterie export')) ?? [];
  debian.run(blockFor('mv /var/lib/coterie.old/backups').replace('coterie-TIME.tar', saved));
  await requireInBrowser(debian, post);
  debian.run('rm -r /var/lib/coterie.old');
  followTrial(debian, saved);
  followEncryption(debian);
  await followToPostgres(debian);
  debian.run('systemctl disable --now coterie');
  return ['a backup restored, tried, encrypted, and moved to PostgreSQL, with a standby and with PgBouncer'];
}

/** Ctrl+C as soon as the site on trial shows the post. */
const ctrlC = `
( until curl -sf http://localhost:3001/ | grep -q '${post}'; do sleep 0.2; done
kill -INT $(ss -Hltnp 'sport = :3001' | sed -n 's/.*pid=\\([0-9]*\\).*/\\1/p;q') ) &
`;

function followTrial(debian: Booted, saved: string): void {
  const printed = debian.run(`${ctrlC}${blockFor('PORT=3001').replace('coterie-TIME.tar', saved)}`);
  for (const sentence of ['No problems found', 'Coterie has stopped'])
    if (!printed.includes(sentence)) throw new Error(`The trial has not said "${sentence}": ${printed}`);
}

/** The archive is decrypted on a machine of its owner: in another folder, by another user. */
function followEncryption(debian: Booted): void {
  const own = 'mkdir -p /root/own; cd /root/own; PATH=/usr/lib/coterie:$PATH';
  const printed = debian.run(`${own}\n( ${blockFor('age-keygen -o')} ) 2>&1`);
  const [key = ''] = /age1\w+/.exec(printed) ?? [];
  addSettings(debian, blockFor('BACKUP_RECIPIENTS=').replace(/age1\w+/, key));
  const [file = ''] = /coterie-\S+\.tar\.age/.exec(debian.run('coterie export')) ?? [];
  removeSettings(debian, 'BACKUP_');
  const opened = `cp /var/lib/coterie/backups/${file} site.tar.age\n${blockFor('coterie verify site.tar.age')}`;
  debian.run(`${own}\n${opened}test -s data/coterie.db; tar -tf site.tar > /dev/null`);
}

async function followToPostgres(debian: Booted): Promise<void> {
  const make = `create role coterie login password 'password'; create database coterie owner coterie`;
  const sql = make.split('; ').map(it => `-c "${it}"`);
  debian.run(`runuser -u postgres -- psql -q ${sql.join(' ')}`);
  const setting = blockFor("DATABASE_URL='postgres://coterie:password@db.example");
  const edit = `cat >> /etc/coterie/coterie.env <<'END'\n${setting}END\n`;
  // As for somebody who has made no backup before.
  debian.run('rm -r /var/lib/coterie/backups');
  const move = blockFor('restore --keep-access');
  const edited = move.replace(/^# now set or remove .*\n/m, edit);
  if (edited === move) throw new Error('The move has no line that says when to change the settings.');
  debian.run(edited);
  await requireInBrowser(debian, post);
  debian.run('! test -e /var/lib/coterie/coterie.db');

  const file = (name: string) => readFileSync(join(root, 'deploy/pooler', name), 'utf8');
  debian.run(`cat > /run/limits.sql <<'END'\n${file('limits.sql')}END
runuser -u postgres -- psql -q -f /run/limits.sql
mkdir -p /run/secrets
echo '"coterie" "password"' > /run/secrets/pooler-users
cat > /run/pgbouncer.ini <<'END'\n${file('pgbouncer.ini')}END
systemd-run --quiet --unit pooler --uid postgres pgbouncer /run/pgbouncer.ini`);
  for (const words of ['db-two.example', 'pooler.example'] as const) {
    debian.run("sed -i '/^DATABASE_/d' /etc/coterie/coterie.env");
    addSettings(debian, blockFor(words));
    await requireInBrowser(debian, post);
  }
}
