import { type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';
import { explain } from './postgres-errors.ts';
import { addressesOf, PostgresHosts } from './postgres-hosts.ts';
import { type Watcher, watchedDriver } from './watched-driver.ts';

/** How long a query may take, in milliseconds. */
const statementTimeoutMs = 30_000;
/** How long a connection may be silent before it counts as dead, in milliseconds. */
const answerTimeoutMs = statementTimeoutMs + 5_000;

/**
 * A pool of connections. A connection without an answer within `answerTimeoutMs` is closed, and its query
 * fails, unless `mayBeSilent` is set: a migration may take any time.
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
  // A connection that is lost while idle must not end the process: the next query opens another one, or fails
  // and reports it. The pool's own event does not cover connections that are just being closed.
  pool.on('error', () => {});
  pool.on('connect', client => {
    client.on('error', () => {});
    if (client instanceof pg.Client) endWhenSilent(client);
  });
  return pool;
}

/**
 * Closes a connection after a timeout: `pg` would give it to the next query, which would wait behind the
 * stuck one.
 */
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

/** Whether `pg` gave up waiting after `query_timeout`. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * Kysely on `pg`. PostgreSQL's counts and times are `bigint`; ours stay far below 2^53, so they are read as
 * numbers.
 */
export function postgresDialect(pool: pg.Pool, watcher: Watcher): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => watchedDriver(dialect.createDriver(), explain, watcher),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: db => dialect.createIntrospector(db),
  };
}

/** The location of a database, in words for the person who starts the program, without its password. */
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

/** The settings of a connection. Its first message contains nothing that a pooler refuses. */
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
 * The same address with the usual meaning of `sslmode` (libpq, section 34.19 of PostgreSQL's manual): `pg`
 * treats `require` as `verify-full`.
 */
function asElsewhere(url: string): string {
  const address = new URL(url);
  const { searchParams } = address;
  if (!searchParams.has('sslmode') || searchParams.has('uselibpqcompat')) return url;
  searchParams.set('uselibpqcompat', 'true');
  return address.href;
}

/** Sets the limit by a query: a pooler refuses a connection that asks for it in its first message. */
async function limitStatements(client: pg.ClientBase): Promise<void> {
  await client.query(`set statement_timeout = ${statementTimeoutMs}`);
}
