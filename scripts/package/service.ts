import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addSettings, type Booted, boot, removeSettings } from './booted.ts';
import { blockFor, host, requireInBrowser, site, writeInBrowser } from './browser.ts';
import { followMoves } from './moves.ts';

/** The link of the last start in the journal. */
function setupLinkIn(printed: string): string {
  const links = printed.match(/http\S+\/setup\?token=\S+/g) ?? [];
  const link = links.at(-1);
  if (link?.startsWith(site)) return link;
  throw new Error(`No link for the first admin at ${site}: ${printed}`);
}

/** Waits until the service has started again after a kill, with another process. */
async function requireRestart(debian: Booted): Promise<void> {
  const processOf = () => debian.run('systemctl show --value --property MainPID coterie').trim();
  const before = processOf();
  debian.run('systemctl kill --signal KILL coterie');
  // In this order: for a moment it is still active, without its process.
  debian.run(
    `until [ "$(systemctl show --value --property MainPID coterie)" != ${before} ] && systemctl is-active --quiet coterie; do sleep 0.2; done`,
  );
}

/** `coterie mail receive` waits for its mail, is killed as a mail server may do it, and leaves no process. */
const receiverEnds = `
mkfifo /run/mail && exec 3<>/run/mail
MAIL_REPLY_ADDRESS='reply+{}@${host}' coterie mail receive <&3 &
until child=$(tr -d " " < /proc/$!/task/$!/children) && readlink /proc/$child/exe | grep -q node; do sleep 0.1; done
kill -KILL $!
while [ -e /proc/$child ]; do sleep 0.1; done`;

/**
 * What the service is tried with; `next` makes the Debian package of a version. A broken one refuses to be
 * installed.
 */
export type Tried = {
  packages: string;
  version: string;
  next: (version: string, isBroken?: boolean) => string;
};

/**
 * docs/hosting.md followed in a Debian whose systemd runs: the package as a service behind Caddy, then the
 * archive as one, and from there to PostgreSQL.
 */
export async function tryService(folder: string, work: string, tried: Tried): Promise<string[]> {
  const archive = `coterie-${tried.version}-linux-x64`;
  const deb = `coterie_${tried.version}_amd64.deb`;
  for (const file of [deb, `${archive}.tar.gz`]) copyFileSync(join(tried.packages, file), join(folder, file));
  const names = ['db.example', 'db-one.example', 'db-two.example', 'pooler.example', 'database'];
  writeFileSync(join(folder, 'etc/hosts'), `127.0.0.1 localhost ${names.join(' ')}\n`);
  // An owner answers apt's question with Enter.
  writeFileSync(join(folder, 'etc/apt/apt.conf.d/90yes'), 'APT::Get::Assume-Yes "true";\n');
  // They are there for lines in docs/hosting.md. nginx would take the ports of Caddy.
  execFileSync('systemctl', ['--root', folder, '--quiet', 'disable', 'nginx', 'pgbouncer']);
  const debian = await boot(folder, work);
  try {
    return [
      ...(await followPackage(debian, tried)),
      ...(await followArchive(debian, folder, archive)),
      ...(await followMoves(debian)),
    ];
  } finally {
    await debian.stop();
  }
}

/** The package: a post written in a browser, the service killed, settings, a backup, an upgrade and back. */
async function followPackage(debian: Booted, { version, next }: Tried): Promise<string[]> {
  const first = 'Written on the first day.';
  const began = performance.now();
  const printed = debian.run(blockFor('/etc/caddy/Caddyfile'));
  await writeInBrowser(debian, setupLinkIn(printed), first);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const [, rating] = /level for coterie.service: (\S+)/.exec(
    debian.run('systemd-analyze security coterie --no-pager'),
  ) ?? ['', ''];
  if (!(Number(rating) < 2)) throw new Error(`systemd rates the service ${rating}.`);
  debian.run(receiverEnds);
  await requireRestart(debian);
  await requireInBrowser(debian, first);

  addSettings(debian, blockFor("MAIL_FROM='Mina Harker"));
  debian.run(`curl -sk ${site}/ | grep -q 'Notes of Mina Harker'`);
  const override = 'd=/etc/systemd/system/coterie.service.d; mkdir $d; cat > $d/override.conf';
  debian.run(`install -d -o coterie /mnt/backups
${override} <<'END'\n${blockFor('RequiresMountsFor=/mnt/backups')}END\nsystemctl daemon-reload`);
  addSettings(debian, 'BACKUP_URL=/mnt/backups\nBACKUP_AT=03:30');
  debian.run('until ls /mnt/backups/*.tar > /dev/null 2>&1; do sleep 1; done');
  removeSettings(debian, 'BACKUP_');
  const account = blockFor('read -rs PASSWORD').replace(
    '--email E --username U --name N',
    '--email lucy@example.com --username lucy --name "Lucy Westenra"',
  );
  debian.run(`cat > /run/admin <<'END'\n${account}END\necho 'quincey morris' | bash -e /run/admin`);
  debian.run(blockFor('coterie export     #'));
  debian.run(`cd /root\n${blockFor('coterie history --since')}grep -q mina mina.jsonl`);

  const isActive = 'systemctl is-active --quiet coterie';
  debian.run(`! dpkg --install ${next('100.0', true)} && ${isActive}`);
  await requireInBrowser(debian, first);
  debian.run('cd /var/lib/coterie && systemctl stop coterie && cp -p coterie.db before.db');
  debian.run('systemctl start coterie');
  // A process of before would ask for files that are gone.
  debian.run(`dpkg --unpack ${next('99.0')} && ! ${isActive} && dpkg --configure coterie && ${isActive}`);
  await requireInBrowser(debian, first);
  debian.run(`mv ${next('100.0')} /coterie_100.0_amd64.deb`);
  debian.run(blockFor('./coterie_NEW_amd64.deb').replace('NEW', '100.0'));
  await requireInBrowser(debian, first);
  const [from = 0, to = 0] = ['InactiveEnter', 'ActiveEnter'].map(it =>
    Number(debian.run(`systemctl show --value --property ${it}TimestampMonotonic coterie`)),
  );
  // As a migration would have copied the database.
  const made = 'mv /var/lib/coterie/before.db /var/lib/coterie/backups/coterie-before-MIGRATION-TIME.db';
  debian.run(`${made}
echo 'quincey morris' | coterie admin create --email a@example.com --username arthur --name Arthur --password-stdin`);
  debian.run(blockFor('--allow-downgrades').replace('OLD', version));
  debian.run('coterie user list | grep -q lucy');
  debian.run('! coterie user list | grep -q arthur');
  await requireInBrowser(debian, first);
  debian.run('apt-get purge --yes coterie && ! systemctl cat coterie');
  return [
    `${seconds} s from the first command to a post in a browser, by HTTPS; systemd rates it ${rating}`,
    `killed and back, upgraded by apt (away for ${((to - from) / 1e6).toFixed(1)} s), back to the version of before, purged`,
  ];
}

/** The archive as a service, upgraded to a version that breaks when systemd starts it, and to a good one. */
async function followArchive(debian: Booted, folder: string, archive: string): Promise<string[]> {
  debian.run(blockFor('install -m 755 /usr/lib/coterie/deploy/debian/coterie'));
  addSettings(debian, `PUBLIC_URL='${site}'`);
  const journal = debian.run(
    'journalctl --sync; journalctl --unit coterie --lines 20 --output cat --no-pager',
  );
  await writeInBrowser(debian, setupLinkIn(journal), 'From the archive.');
  const broken = repack(folder, archive, '98.0.0', '[ -z "$INVOCATION_ID" ] || exit 1\n');
  const output = debian.run(`coterie upgrade ${broken} 2>&1 && exit 1; true`);
  if (!output.includes('The site runs with the version of before')) throw new Error(output);
  await requireInBrowser(debian, 'From the archive.');
  const good = repack(folder, archive, '99.0.0');
  const check = blockFor('coterie upgrade coterie-NEW-linux-x64.tar.gz --check').replace('NEW', '99.0.0');
  const compared = debian.run(`cd /srv\n${check}`);
  if (!compared.includes('Both versions agree')) throw new Error(compared);
  debian.run(`coterie upgrade ${good}`);
  const link = debian.run('readlink /usr/lib/coterie').trim();
  if (!link.endsWith('coterie-99.0.0-linux-x64')) throw new Error(`The link leads to ${link}.`);
  await requireInBrowser(debian, 'From the archive.');
  return ['from the archive: back from a broken version, on to a good one'];
}

/**
 * Packs the archive as one of another version, with a line before its program starts. Returns its path in
 * the Debian.
 */
function repack(folder: string, archive: string, version: string, line = ''): string {
  const name = `coterie-${version}-linux-x64`;
  const script = join(folder, 'srv', name, 'coterie');
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: join(folder, 'srv'), encoding: 'utf8' });
  run('tar', '-xzf', join(folder, `${archive}.tar.gz`));
  run('mv', archive, name);
  writeFileSync(script, readFileSync(script, 'utf8').replace('\n', `\n${line}`));
  run('tar', '--use-compress-program=gzip -1', '-cf', `${name}.tar.gz`, name);
  writeFileSync(join(folder, 'srv/SHA256SUMS'), run('sha256sum', `${name}.tar.gz`));
  rmSync(join(folder, 'srv', name), { recursive: true });
  return `/srv/${name}.tar.gz`;
}
