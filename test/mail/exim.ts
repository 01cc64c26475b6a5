import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { openFolder, owner } from './machine.ts';

const run = promisify(execFile);
const program = '/usr/sbin/exim4';
/** Debian's Exim keeps its rights only with a file of settings that is named here. */
const trusted = '/etc/exim4/trusted_configs';

/** Debian has Exim or Postfix on a machine. */
export const hasExim = existsSync(program);

/** `refusingPort` is that of the server of `elsewhere.example`. */
type Parts = { router: string; transport: string; refusingPort: number };

/** An Exim on the loopback, with this router and this transport, and Maildirs of `example.com`. */
export async function startExim(port: number, { router, transport, refusingPort }: Parts) {
  const folder = await openFolder('exim');
  const [config, mailboxes] = [join(folder, 'exim.conf'), join(folder, 'mailboxes')];
  for (const each of [mailboxes, join(folder, 'spool'), join(folder, 'log')]) await mkdir(each);
  await run('chown', [`${owner.uid}:${owner.gid}`, mailboxes]);
  await run('chown', ['Debian-exim', join(folder, 'spool'), join(folder, 'log')]);
  await writeFile(
    config,
    `primary_hostname = relay.example.com
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/spool/exim.pid
acl_smtp_rcpt = accept
acl_smtp_data = accept
begin routers
${router}
example:
  driver = accept
  domains = example.com
  transport = maildir
elsewhere:
  driver = manualroute
  domains = elsewhere.example
  route_list = * 127.0.0.1::${refusingPort}
  self = send
  transport = smtp
begin transports
smtp:
  driver = smtp
${transport}
maildir:
  driver = appendfile
  directory = ${mailboxes}
  maildir_format
  delivery_date_add
  envelope_to_add
  user = ${owner.name}
begin retry
* * F,2h,1s
`,
  );
  await chmod(config, 0o644);
  await mkdir('/etc/exim4', { recursive: true });
  await writeFile(trusted, `${config}\n`);
  const exim = (...args: string[]) => run(program, ['-C', config, ...args]);
  await exim('-bd');
  onTestFinished(async () => {
    process.kill(Number(await readFile(join(folder, 'spool/exim.pid'), 'utf8')));
    await rm(trusted);
  });
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails: async (): Promise<string[]> => {
      const files = await readdir(join(mailboxes, 'new')).catch(() => []);
      const mails = await Promise.all(files.map(file => readFile(join(mailboxes, 'new', file), 'utf8')));
      return mails.map(mail => mail.replace('Envelope-to:', 'Delivered-To:'));
    },
    log: () => readFile(join(folder, 'log/mainlog'), 'utf8'),
    queue: async () => (await exim('-bp')).stdout.trim(),
    flush: () => exim('-qff'),
  };
}
