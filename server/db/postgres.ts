import { type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';
import { noteWrites } from './changes/own-writes.ts';
import { withOutages } from './outage.ts';
import { explain } from './postgres-errors.ts';

/** How long a query of ours may take, in milliseconds. */
const statementTimeoutMs = 30_000;

/** Kysely on `pg`. Counts and times are `bigint` there; ours stay far below 2^53, so they are read as numbers. */
export function postgresDialect(url: string, connections: number, noteWrite: () => void): Dialect {
  const pool = new pg.Pool({ ...postgresClient(url), max: connections, onConnect: limitStatements });
  // A connection that is lost while nobody uses it must not end the process: the next query opens another, or fails
  // where somebody waits for it. The pool's own event misses connections that are just being closed.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => noteWrites(withOutages(dialect.createDriver(), explain), noteWrite),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: db => dialect.createIntrospector(db),
  };
}

/** Where a database is, for whoever starts the program: without its password. */
export function postgresPlace(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname || searchParams.get('host') || 'localhost';
  return `the PostgreSQL database${pathname.replace('/', ' ')} at ${host}:${port || 5432}`;
}

/** How a connection is made. Nothing that a pooler refuses is asked for in its first message. */
export function postgresClient(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    types: {
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  };
}

/** In a query of its own: a pooler refuses a connection that asks for it in its first message. */
async function limitStatements(client: pg.ClientBase): Promise<void> {
  await client.query(`set statement_timeout = ${statementTimeoutMs}`);
}
