import {
  type Expression,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Tables } from './tables.ts';

/** What the two engines spell differently. Nothing else in the program may ask which engine it runs on. */
export type EngineDialect = {
  engine: 'sqlite' | 'postgres';
  /** `column in (values)` with the whole list as one parameter, so that one statement serves lists of any length. */
  isOneOf(column: Expression<unknown>, values: readonly number[] | readonly string[]): RawBuilder<SqlBool>;
  /**
   * A column whose condition must not choose the index. SQLite keeps no statistics of our data and would sort every
   * match instead of walking the order that the page needs; PostgreSQL decides better by itself.
   */
  unindexed(column: Expression<unknown>): RawBuilder<unknown>;
  /** Whether a text holds another one, in any case of ASCII letters (PostgreSQL: of all letters that its locale knows). */
  includes(column: Expression<unknown>, part: string): RawBuilder<SqlBool>;
  /** Rows that nobody else may change until the transaction ends. In SQLite a transaction holds the whole database. */
  locked<TB extends keyof Tables, O>(
    query: SelectQueryBuilder<Tables, TB, O>,
  ): SelectQueryBuilder<Tables, TB, O>;
};

const sqlite: EngineDialect = {
  engine: 'sqlite',
  isOneOf: (column, values) =>
    sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(values)}))`,
  unindexed: column => sql`+${column}`,
  includes: (column, part) => sql<SqlBool>`${column} like ${pattern(part)} escape '\\'`,
  locked: query => query,
};

const postgres: EngineDialect = {
  engine: 'postgres',
  isOneOf: (column, values) => sql<SqlBool>`${column} = any(${values})`,
  unindexed: column => sql`${column}`,
  includes: (column, part) => sql<SqlBool>`${column} ilike ${pattern(part)} escape '\\'`,
  locked: query => query.forUpdate(),
};

/** A pattern of `like` in which nothing of the text is a wildcard. */
function pattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The dialect of a database or of a transaction on it. */
export function dialectOf(db: Kysely<Tables>): EngineDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}

/** Whether an error says that a value is there already: PostgreSQL's 23505, SQLITE_CONSTRAINT_UNIQUE. */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === '23505') || ('errcode' in error && error.errcode === 2067);
}
