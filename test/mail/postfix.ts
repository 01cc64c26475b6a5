import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';

const run = promisify(execFile);
/** `nobody`, to whom mails are delivered: Postfix delivers to no system account below this number. */
const reader = 65_534;

export const hasPostfix = existsSync('/usr/sbin/postfix');

/** Lines that are added to the settings of a Postfix. */
export type PostfixLines = { main?: string; master?: string; port?: number };

/** A Postfix on the loopback that delivers all mail to `example.com` into one Maildir. */
export async function startPostfix({ main = '', master = '', port: asked }: PostfixLines = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-postfix-'));
  const port = asked ?? (await freePort());
  const [config, mailboxes] = [join(folder, 'config'), join(folder, 'mailboxes')];
  for (const each of [config, mailboxes, join(folder, 'queue'), join(folder, 'data')]) await mkdir(each);
  await chmod(folder, 0o755);
  await run('chown', [`${reader}:${reader}`, mailboxes]);
  await run('chown', ['postfix', join(folder, 'data')]);
  await writeFile(
    join(config, 'main.cf'),
    `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file_prefixes = ${folder}
maillog_file = ${folder}/log
inet_interfaces = 127.0.0.1
myhostname = relay.example.com
mydestination =${main === '' ? '' : ' blog.example'}
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
strict_rfc821_envelopes = yes
strict_8bitmime = yes
virtual_mailbox_domains = example.com
virtual_mailbox_base = ${mailboxes}
virtual_mailbox_maps = static:all/
virtual_uid_maps = static:${reader}
virtual_gid_maps = static:${reader}
${main}`,
  );
  const services = await readFile('/usr/share/postfix/master.cf.dist', 'utf8');
  // It listens on the port of the test, and none of its parts is locked into the folder of the queue.
  const own = services
    .replace(/^smtp(\s+inet)/m, `127.0.0.1:${port}$1`)
    .replaceAll(/^(\S+\s+\S+\s+\S+\s+\S+\s+)y/gm, '$1n');
  await writeFile(join(config, 'master.cf'), own + master);
  const control = (what: string) => run('/usr/sbin/postfix', ['-c', config, what]);
  await control('start');
  onTestFinished(async () => {
    await control('stop');
    await rm(folder, { recursive: true, force: true });
  });
  return {
    /** The mails that wait, which it has not handed over yet. */
    queue: async () => (await run('/usr/sbin/postqueue', ['-c', config, '-j'])).stdout,
    flush: () => run('/usr/sbin/postqueue', ['-c', config, '-f']),
    url: `smtp://127.0.0.1:${port}`,
    /** The mails that were delivered. */
    mails: async (): Promise<string[]> => {
      const place = join(mailboxes, 'all/new');
      const files = await readdir(place).catch(() => []);
      return await Promise.all(files.map(file => readFile(join(place, file), 'utf8')));
    },
    log: () => readFile(join(folder, 'log'), 'utf8'),
  };
}
