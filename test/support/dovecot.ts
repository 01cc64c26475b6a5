import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { scratchFolder } from './scratch.ts';
import { untilListening } from './until-listening.ts';

const name = 'reader';
const password = 'secret';

/** A Dovecot on the loopback with one empty mailbox, which keeps its mails over `stop` and `start`. */
export async function startDovecot() {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-dovecot-'));
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  const own = userInfo().username;
  const file = join(folder, 'dovecot.conf');
  await writeFile(
    file,
    `base_dir = ${folder}/run
    state_dir = ${folder}/state
    log_path = ${folder}/log
    protocols = imap
    ssl = no
    disable_plaintext_auth = no
    first_valid_uid = 1
    mail_location = maildir:${folder}/home/mails
    ${isRoot ? '' : `default_login_user = ${own}\n default_internal_user = ${own}\n default_internal_group = ${own}`}
    passdb {
      driver = static
      args = password=${password}
    }
    userdb {
      driver = static
      args = uid=${isRoot ? 'nobody' : own} gid=${isRoot ? 'nogroup' : own} home=${folder}/home
    }
    service anvil {
      chroot =
    }
    service imap-login {
      chroot =
      inet_listener imap {
        address = 127.0.0.1
        port = ${port}
      }
      inet_listener imaps {
        port = 0
      }
    }`,
  );
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'home'));
  await chmod(join(folder, 'home'), 0o777);
  let child: ChildProcess;
  const start = async () => {
    // A group of its own: the processes that hold connections outlive the first one for a while.
    child = spawn('dovecot', ['-F', '-c', file], {
      stdio: 'ignore',
      detached: true,
      // Not in the path of everybody.
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
    await untilListening(port, child, 'Dovecot did not start. Is dovecot-imapd installed?');
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await once(child, 'exit');
  };
  await start();
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  const asClient = async <T>(work: (client: ImapFlow) => Promise<T>): Promise<T> => {
    const auth = { user: name, pass: password };
    const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, auth, logger: false });
    await client.connect();
    try {
      await client.mailboxOpen('INBOX');
      return await work(client);
    } finally {
      await client.logout();
    }
  };
  return {
    url: `imap://${name}:${password}@127.0.0.1:${port}/?requireTLS=false`,
    start,
    stop,
    /** Puts a mail into the mailbox, as a mail server does, so many times. */
    deliver: async (mail: string, count = 1) => {
      await asClient(async client => {
        for (let done = 0; done < count; done += 1)
          await client.append('INBOX', mail.replaceAll('\n', '\r\n'));
      });
    },
    /** The subjects of the mails that nobody has read. */
    unread: async () =>
      await asClient(async client => {
        const mails = await client.fetchAll('1:*', { envelope: true, flags: true });
        return mails.filter(({ flags }) => !flags?.has('\\Seen')).map(({ envelope }) => envelope?.subject);
      }),
  };
}
