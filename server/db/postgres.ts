import { randomUUID } from 'node:crypto';
import { type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';
import { type Changes, type TableName, trackWrites } from './changes.ts';
import { isOutage, outages, withOutages } from './outage.ts';

/** The channel on which the triggers of the first migration say which table was written to. */
const channel = 'coterie_changes';
const reconnectMs = 1_000;
/** How often the line on which changes are told is tried, and how long a try may take. Milliseconds. */
const pulse = { everyMs: 1_000, withinMs: 1_000 };
/** How long a query of ours may take, in milliseconds. */
const statementTimeoutMs = 30_000;

/** Kysely on `pg`. Counts and times are `bigint` there; ours stay far below 2^53, so they are read as numbers. */
export function postgresDialect(url: string, changes: Changes): Dialect {
  const pool = new pg.Pool({ ...connection(url), max: 10, onConnect: limitStatements });
  // A connection that is lost while nobody uses it must not end the process: the next query opens another, or fails
  // where somebody waits for it. The pool's own event misses connections that are just being closed.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => trackWrites(withOutages(dialect.createDriver(), explain), changes),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: db => dialect.createIntrospector(db),
  };
}

/**
 * What PostgreSQL says itself carries a code: of connections (08), of resources, a full disk among them (53), of an
 * operator (57). Everything else that `pg` throws is about the line to it.
 */
function explain(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    if (error.code === '53100') return outages.full;
    return /^(08|53|57)/.test(error.code ?? '') ? outages.gone : undefined;
  }
  return error instanceof TypeError ? undefined : outages.gone;
}

/** Where a database is, for whoever starts the program: without its password. */
export function postgresPlace(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname || searchParams.get('host') || 'localhost';
  return `the PostgreSQL database${pathname.replace('/', ' ')} at ${host}:${port || 5432}`;
}

/** Why a database does not let itself be opened; undefined for what is a bug instead. */
export function openingRefusal(error: unknown): string | undefined {
  const cause = isOutage(error) ? error.cause : error;
  // Beside the codes of an outage: what it says of the password (28) and the name of the database (3D).
  if (cause instanceof pg.DatabaseError)
    return /^(08|28|3D|53|57)/.test(cause.code ?? '') ? cause.message : undefined;
  if (!isOutage(error)) return undefined;
  // A name with several addresses fails with an error for each, and no message of its own.
  const [{ message }] = cause instanceof AggregateError ? (cause.errors as [Error]) : [cause as Error];
  return message;
}

function connection(url: string): pg.ClientConfig {
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

/**
 * Hears what other processes commit. While nothing is heard nothing is served from a cache, because a reader who has
 * just lost access must not be shown what an older answer held. A router that has forgotten an idle line tells neither
 * end, and a pooler in transaction mode takes `listen` for a query and passes no notice on: so `notify` sends a word
 * over another connection every second, and the line counts only while each of these comes out of it.
 */
export async function listenForChanges(
  url: string,
  changes: Changes,
  notify: (channel: string, word: string) => Promise<unknown>,
  { everyMs, withinMs } = pulse,
): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  changes.blindSince = performance.now();

  const connect = async () => {
    const next = new pg.Client({ ...connection(url), query_timeout: withinMs });
    client = next;
    let expected: { word: string; hasCome: () => void } | undefined;
    next.on('notification', ({ payload = '' }) => {
      if (payload === expected?.word) expected.hasCome();
      // A word has a hyphen, a table's name has none.
      else if (!payload.includes('-')) changes.note([payload as TableName]);
    });
    const lost = () => {
      if (client !== next) return;
      client = undefined;
      clearTimeout(timer);
      changes.blindSince ??= performance.now();
      // What it still waits for fails with it, and nobody is left to hear.
      next.end().catch(() => {});
      if (!isClosed) timer = setTimeout(() => connect().catch(() => {}), reconnectMs);
    };
    /** Nothing else may be asked on the line meanwhile: a pooler could hand the word on with that answer. */
    const hearsWord = async () => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const word = randomUUID();
      expected = { word, hasCome: () => resolve(true) };
      const late = setTimeout(() => resolve(false), withinMs);
      await notify(channel, word).catch(() => {});
      const hasHeard = await promise;
      clearTimeout(late);
      return hasHeard;
    };
    const tryLine = async () => {
      const hasHeard = await hearsWord();
      if (client !== next) return;
      if (!hasHeard) changes.blindSince ??= performance.now();
      else if (changes.blindSince !== undefined) {
        changes.noteAll();
        changes.blindSince = undefined;
      }
      if (isClosed) return;
      if (hasHeard) timer = setTimeout(tryLine, everyMs).unref();
      else lost();
    };
    next.on('error', lost);
    next.on('end', lost);
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch (error) {
      lost();
      throw error;
    }
    await tryLine();
  };
  await connect();

  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await client?.end();
  };
}
