import { type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';
import { noteWrites } from './changes/own-writes.ts';
import { withOutages } from './outage.ts';
import { explain } from './postgres-errors.ts';
import { addressesOf, PostgresHosts } from './postgres-hosts.ts';

/** How long a query of ours may take, in milliseconds. */
const statementTimeoutMs = 30_000;
/** After what time without an answer the line to the server is taken to be dead, in milliseconds. */
const answerTimeoutMs = statementTimeoutMs + 5_000;

/**
 * A pool of connections. One that does not answer within `answerTimeoutMs` is ended, and its query fails, but for
 * `mayBeSilent`: a migration takes as long as it takes.
 */
export function openPool(
  { Client }: PostgresHosts,
  connections: number,
  { mayBeSilent = false } = {},
): pg.Pool {
  const pool = new pg.Pool({
    Client,
    max: connections,
    ...(!mayBeSilent && { query_timeout: answerTimeoutMs }),
    onConnect: limitStatements,
  });
  // A connection that is lost while nobody uses it must not end the process: the next query opens another, or fails
  // where somebody waits for it. The pool's own event misses connections that are just being closed.
  pool.on('error', () => {});
  pool.on('connect', client => {
    client.on('error', () => {});
    if (client instanceof pg.Client) endWhenSilent(client);
  });
  return pool;
}

/** After a timeout `pg` would hand the connection to the next query, which would wait behind the dead one. */
function endWhenSilent(client: pg.Client): void {
  client.query = new Proxy(client.query, {
    apply(query, self, args) {
      const result: unknown = Reflect.apply(query, self, args);
      if (result instanceof Promise) {
        result.catch((error: unknown) => {
          if (isTimeout(error)) client.end().catch(() => {});
        });
      }
      return result;
    },
  });
}

/** Whether `pg` has waited for an answer for as long as `query_timeout` says. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Kysely on `pg`. Counts and times are `bigint` there; ours stay far below 2^53, so they are read as numbers. */
export function postgresDialect(pool: pg.Pool, noteWrite: () => void): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => noteWrites(withOutages(dialect.createDriver(), explain), noteWrite),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: db => dialect.createIntrospector(db),
  };
}

/** Where a database is, as the person who starts the program reads it: without its password. */
export function postgresPlace(url: string): string {
  const addresses = addressesOf(url).map(address => new URL(address));
  const hosts = addresses.map(({ hostname, port, searchParams }) => {
    const host = hostname || searchParams.get('host') || 'localhost';
    return `${host}:${port || 5432}`;
  });
  return `the PostgreSQL database${addresses[0]?.pathname.replace('/', ' ')} at ${hosts.join(' or ')}`;
}

/** The hosts of a database at an address, which may name several. */
export function postgresHosts(url: string): PostgresHosts {
  return new PostgresHosts(url, connectionTo);
}

/** How a connection is made. Nothing that a pooler refuses is asked for in its first message. */
function connectionTo(url: string): pg.ClientConfig {
  return {
    connectionString: asElsewhere(url),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    types: {
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  };
}

/**
 * The same address, in which `sslmode` means what it means to every other program (libpq, section 34.19 of PostgreSQL's
 * manual): `pg` by itself takes `require` for `verify-full`.
 */
function asElsewhere(url: string): string {
  const address = new URL(url);
  const { searchParams } = address;
  if (!searchParams.has('sslmode') || searchParams.has('uselibpqcompat')) return url;
  searchParams.set('uselibpqcompat', 'true');
  return address.href;
}

/** In a query of its own: a pooler refuses a connection that asks for it in its first message. */
async function limitStatements(client: pg.ClientBase): Promise<void> {
  await client.query(`set statement_timeout = ${statementTimeoutMs}`);
}
