import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { scratchFolder } from './scratch.ts';
import { killed, untilListening } from './until-listening.ts';

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

/** The PgBouncer of deploy/compose.pooler.yaml before a server, on a port of its own. */
export async function startPgBouncer(server: string): Promise<PgBouncer> {
  const { username, password } = new URL(server);
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-pgbouncer-'));
  const ownPort = await freePort();
  await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  const configure = async (to: string) => {
    const { hostname, port } = new URL(to);
    const ours: [string, string][] = [
      ['host=database port=5432', `host=${hostname} port=${port}`],
      ['listen_addr = *', 'listen_addr = 127.0.0.1'],
      ['listen_port = 6432', `listen_port = ${ownPort}`],
      ['/run/secrets/pooler-users', join(folder, 'users.txt')],
    ];
    let text = await readFile(join(import.meta.dirname, '../../deploy/pooler/pgbouncer.ini'), 'utf8');
    for (const [theirs, own] of ours) text = text.replace(theirs, own);
    await writeFile(join(folder, 'pgbouncer.ini'), text);
  };
  await configure(server);
  // It refuses to run as root.
  await chmod(folder, 0o755);
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asRoot, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  await untilListening(ownPort, child, 'PgBouncer did not start.');
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${ownPort}`,
    pointTo: async to => {
      await configure(to);
      child.kill('SIGHUP');
    },
    stop: async () => {
      await killed(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
