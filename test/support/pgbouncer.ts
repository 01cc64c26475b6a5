import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { scratchFolder } from './scratch.ts';

/**
 * Whether PgBouncer is installed (Debian's package `pgbouncer`): tests that need it are skipped where it is
 * not.
 */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

export type PgBouncer = {
  /** Its address, without a database. */
  url: string;
  /**
   * Sends all new connections to another server, as an administrator does: in its configuration, which it
   * then reads again.
   */
  pointTo(server: string): Promise<void>;
  stop(): Promise<void>;
};

/** A PgBouncer in transaction mode before a server, on a port of its own. */
export async function startPgBouncer(server: string): Promise<PgBouncer> {
  const { username, password } = new URL(server);
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-pgbouncer-'));
  const ownPort = await freePort();
  await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  const configure = async (to: string) => {
    const { hostname, port } = new URL(to);
    await writeFile(
      join(folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=${hostname} port=${port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${ownPort}`,
        'unix_socket_dir =',
        'auth_type = scram-sha-256',
        `auth_file = ${join(folder, 'users.txt')}`,
        'pool_mode = transaction',
        'max_client_conn = 500',
        'default_pool_size = 10',
        // As docs/hosting.md advises: after a failed connection it would send no query anywhere for 15
        // seconds.
        'server_login_retry = 1',
        'server_connect_timeout = 2',
      ].join('\n'),
    );
  };
  await configure(server);
  // It refuses to run as root.
  await chmod(folder, 0o755);
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asRoot, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  await untilListening(ownPort, child);
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${ownPort}`,
    pointTo: async to => {
      await configure(to);
      child.kill('SIGHUP');
    },
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('PgBouncer did not start.');
    const socket = connect(port, '127.0.0.1');
    const isListening = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isListening) return;
    await sleep(20);
  }
}
