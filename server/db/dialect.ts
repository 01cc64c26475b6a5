import {
  type Expression,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { PostSearch } from './post-search.ts';
import { postgresPostSearch } from './postgres-post-search.ts';
import { sqlitePostSearch } from './sqlite-post-search.ts';
import type { Tables } from './tables.ts';

type Lock = <Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
) => SelectQueryBuilder<Tables, Table, Row>;

/** The differences between the two engines. Only `db/` may ask which engine the program runs on. */
export type EngineDialect = {
  engine: 'sqlite' | 'postgres';
  /**
   * `column in (values)` with the whole list as one parameter, so that one statement serves lists of any
   * length.
   */
  inList(column: Expression<unknown>, values: readonly number[] | readonly string[]): RawBuilder<SqlBool>;
  /**
   * A column in a condition for which SQLite must not use an index. It keeps no statistics of our data, and
   * would sort all matches instead of reading rows in the order of the page. PostgreSQL's planner needs no
   * such advice.
   */
  unindexed(column: Expression<unknown>): RawBuilder<unknown>;
  postSearch: PostSearch;
  /**
   * How many rows of a query lie between each of these ascending numbers and the next, by one of its columns.
   * SQLite looks up each number in an index. PostgreSQL would read much of another index each time, so it
   * reads all rows once.
   */
  countBetween(
    db: Kysely<Tables>,
    query: SelectQueryBuilder<Tables, 'posts', object>,
    column: Expression<unknown>,
    numbers: readonly number[],
  ): Promise<number[]>;
  /**
   * Whether a text contains another, ignoring the case of ASCII letters (in PostgreSQL, of all letters of its
   * locale).
   */
  containsText(column: Expression<unknown>, part: string): RawBuilder<SqlBool>;
  /** A text as a time that compares with an `AuthTime`. */
  asTime(text: Expression<string>): RawBuilder<string>;
  /** The position of a text in another, from 1; 0 if it is not there. */
  positionIn(column: Expression<string>, part: string | Expression<string>): RawBuilder<number>;
  /**
   * Locks rows so that nobody else may change them until the transaction ends. In SQLite a transaction locks
   * the whole database.
   */
  forUpdate: Lock;
  /**
   * Locks rows so that nobody may change or delete them until the transaction ends; several may hold such a
   * lock.
   */
  shared: Lock;
  /** Locks rows like `forUpdate`, but not for those who only refer to them. */
  oneAtATime: Lock;
  /** Keeps the selected rows from being deleted until the transaction ends. */
  referred: Lock;
  /** Like `forUpdate`, skipping rows that somebody else has locked, so that several workers share a queue. */
  skipLocked: Lock;
  version(db: Kysely<Tables>): Promise<string>;
  hasTable(db: Kysely<Tables>, name: string): Promise<boolean>;
  /** The damage that the engine itself finds in its file; empty for none, or if it cannot tell. */
  integrityErrors(db: Kysely<Tables>): Promise<string[]>;
  /** Rows that refer to missing rows, if the engine does not prevent them. */
  brokenReferences(db: Kysely<Tables>): Promise<string[]>;
};

const sqlite: EngineDialect = {
  engine: 'sqlite',
  inList: (column, values) =>
    sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(values)}))`,
  unindexed: column => sql`+${column}`,
  postSearch: sqlitePostSearch,
  countBetween: async (db, query, column, numbers) => {
    const counted = query
      .select(({ fn }) => fn.countAll().as('count'))
      .where(sql<SqlBool>`${column} >= spans.least and ${column} < spans.most`);
    const spans = numbers
      .slice(0, -1)
      .map((least, place) => sql`(${sql.lit(place)}, ${sql.lit(least)}, ${sql.lit(numbers[place + 1])})`);
    const { rows } = await sql<{ count: number }>`
      with spans (place, least, most) as (values ${sql.join(spans)})
      select ${counted} as count from spans order by place`.execute(db);
    return rows.map(({ count }) => count);
  },
  asTime: text => sql`${text}`,
  positionIn: (column, part) => sql<number>`instr(${column}, ${part})`,
  containsText: (column, part) => sql<SqlBool>`${column} like ${pattern(part)} escape '\\'`,
  forUpdate: query => query,
  shared: query => query,
  oneAtATime: query => query,
  referred: query => query,
  skipLocked: query => query,
  version: async db => {
    const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
    return `SQLite ${rows[0]?.version}`;
  },
  hasTable: async (db, name) => {
    const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(
      db,
    );
    return rows.length > 0;
  },
  integrityErrors: async db => {
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(db);
    return rows.map(row => row.integrity_check).filter(text => text !== 'ok');
  },
  brokenReferences: async db => {
    const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db);
    return rows.map(row => `A row of ${row.table} points to a missing row of ${row.parent}.`);
  },
};

const postgres: EngineDialect = {
  engine: 'postgres',
  inList: (column, values) => sql<SqlBool>`${column} = any(${values})`,
  unindexed: column => sql`${column}`,
  postSearch: postgresPostSearch,
  countBetween: async (_, query, column, numbers) => {
    const place = sql<number>`width_bucket(${column}, cast(${numbers} as bigint[]))`;
    const rows = await query
      .select(({ fn }) => [place.as('place'), fn.countAll<number>().as('count')])
      .groupBy(sql`1`)
      .execute();
    const counts = new Map(rows.map(row => [row.place, row.count]));
    return numbers.slice(0, -1).map((_number, index) => counts.get(index + 1) ?? 0);
  },
  asTime: text => sql`cast(${text} as timestamptz)`,
  positionIn: (column, part) => sql<number>`strpos(${column}, ${part})`,
  containsText: (column, part) => sql<SqlBool>`${column} ilike ${pattern(part)} escape '\\'`,
  forUpdate: query => query.forUpdate(),
  shared: query => query.forShare(),
  oneAtATime: query => query.forNoKeyUpdate(),
  referred: query => query.forKeyShare(),
  skipLocked: query => query.forUpdate().skipLocked(),
  version: async db => {
    const { rows } = await sql<{ server_version: string }>`show server_version`.execute(db);
    return `PostgreSQL ${rows[0]?.server_version}`;
  },
  hasTable: async (db, name) => {
    const { rows } = await sql`select 1 where to_regclass(${name}) is not null`.execute(db);
    return rows.length > 0;
  },
  // PostgreSQL checks foreign keys itself.
  integrityErrors: async () => [],
  brokenReferences: async () => [],
};

/** A pattern of `like` without wildcards from the text. */
function pattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The dialect of a database or of a transaction on it. */
export function dialectOf(db: Kysely<Tables>): EngineDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}

/** Whether an error is a violated unique constraint: PostgreSQL's 23505, SQLITE_CONSTRAINT_UNIQUE. */
export function isDuplicate(error: unknown): boolean {
  const isInSqlite = error instanceof Error && 'errcode' in error && error.errcode === 2067;
  return isInSqlite || hasCode(error, '23505');
}

/** Whether PostgreSQL ended a transaction because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return hasCode(error, '40P01');
}

/** Whether PostgreSQL ended a statement that waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, '55P03');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
