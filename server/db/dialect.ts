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
import { wordsOf } from './words.ts';

/** Adds a lock of the rows that a query finds. */
type Lock = <Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
) => SelectQueryBuilder<Tables, Table, Row>;

/** What the two engines spell differently. Only `db/` may ask which engine the program runs on. */
export type EngineDialect = {
  engine: 'sqlite' | 'postgres';
  /**
   * `column in (values)` with the whole list as one parameter, so that one statement serves lists of any
   * length.
   */
  inList(column: Expression<unknown>, values: readonly number[] | readonly string[]): RawBuilder<SqlBool>;
  /**
   * A column for whose condition SQLite must not use an index. It keeps no statistics of our data, and would
   * sort all matches instead of reading rows in the order that the page needs. PostgreSQL's planner needs no
   * such advice.
   */
  unindexed(column: Expression<unknown>): RawBuilder<unknown>;
  /**
   * Makes posts findable by the words of a text, in place of those of an earlier text. Within a transaction.
   */
  indexWords(trx: Kysely<Tables>, texts: readonly { postId: string; text: string }[]): Promise<void>;
  /**
   * Whether each of these words, which `searchWords` has made, begins a word of a post. At least one is
   * needed.
   */
  matches(postId: Expression<unknown>, words: readonly string[]): RawBuilder<SqlBool>;
  /**
   * As `matches`, but looked up post by post. For words in so many posts that a page of the list is full
   * sooner than all matches could be collected and sorted.
   */
  matchesEach(postId: Expression<unknown>, words: readonly string[]): RawBuilder<SqlBool>;
  /**
   * As `matches`, for a list that is read in its order until a page is full: all matches are collected once,
   * without reading their posts, and each post of the list is looked up among them.
   */
  matchesInOrder(postId: Expression<unknown>, words: readonly string[]): RawBuilder<SqlBool>;
  /**
   * Posts that are missing from the index of words, up to `most`: a program that does not write it has saved
   * them.
   */
  postsMissingFromSearch(db: Kysely<Tables>, most: number): Promise<string[]>;
  /** How many posts match, counted up to `most`. */
  countMatches(db: Kysely<Tables>, words: readonly string[], most: number): Promise<number>;
  /**
   * Whether a text holds another one, in any case of ASCII letters (PostgreSQL: of all letters that its
   * locale knows).
   */
  containsText(column: Expression<unknown>, part: string): RawBuilder<SqlBool>;
  /** Where a text begins in another one, from 1; 0 where it does not stand in it. */
  positionIn(column: Expression<string>, part: string): RawBuilder<number>;
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
  /**
   * As `forUpdate`, without the rows that somebody else has locked, so that several workers share a queue.
   */
  skipLocked: Lock;
  /** Whether there is a table of this name. */
  hasTable(db: Kysely<Tables>, name: string): Promise<boolean>;
  /** What the engine itself finds broken in its file; empty if nothing is, and where it cannot tell. */
  integrityErrors(db: Kysely<Tables>): Promise<string[]>;
  /** Rows that refer to missing rows, where the engine does not keep that from happening. */
  brokenReferences(db: Kysely<Tables>): Promise<string[]>;
};

const sqlite: EngineDialect = {
  engine: 'sqlite',
  inList: (column, values) =>
    sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(values)}))`,
  unindexed: column => sql`+${column}`,
  indexWords: async (trx, texts) => {
    for (const { postId, text } of texts) {
      await trx
        .insertInto('post_search_rows')
        .values({ post_id: postId })
        .onConflict(conflict => conflict.column('post_id').doNothing())
        .execute();
      const { number: rowid } = await trx
        .selectFrom('post_search_rows')
        .select('number')
        .where('post_id', '=', postId)
        .executeTakeFirstOrThrow();
      await trx.deleteFrom('post_search').where('rowid', '=', rowid).execute();
      await trx
        .insertInto('post_search')
        .values({ rowid, words: wordsOf(text).join(' ') })
        .execute();
    }
  },
  matches: (postId, words) => sql<SqlBool>`${postId} in (
    select post_search_rows.post_id from post_search
    join post_search_rows on post_search_rows.number = post_search.rowid
    where post_search match ${sqliteTerm(words)}
  )`,
  matchesEach: (postId, words) => sql<SqlBool>`(
    select number from post_search_rows where post_search_rows.post_id = ${postId}
  ) in (select rowid from post_search where post_search match ${sqliteTerm(words)})`,
  // Among the same collected rows.
  matchesInOrder: (postId, words) => sqlite.matchesEach(postId, words),
  countMatches: async (db, words, most) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (
      select 1 from post_search where post_search match ${sqliteTerm(words)} limit ${most}
    )`.execute(db);
    return rows[0]?.count ?? 0;
  },
  postsMissingFromSearch: async (db, most) => {
    const { rows } = await sql<{ id: string }>`select posts.id from posts
      left join post_search_rows on post_search_rows.post_id = posts.id
      left join post_search_docsize on post_search_docsize.id = post_search_rows.number
      where post_search_docsize.id is null limit ${most}`.execute(db);
    return rows.map(row => row.id);
  },
  positionIn: (column, part) => sql<number>`instr(${column}, ${part})`,
  containsText: (column, part) => sql<SqlBool>`${column} like ${pattern(part)} escape '\\'`,
  forUpdate: query => query,
  shared: query => query,
  skipLocked: query => query,
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
  indexWords: async (trx, texts) => {
    const ids = texts.map(({ postId }) => postId);
    // A word holds no space.
    const words = texts.map(({ text }) => [...new Set(wordsOf(text))].join(' '));
    await sql`insert into post_search (post_id, words)
      select id, array_to_tsvector(string_to_array(words, ' '))
      from unnest(cast(${ids} as text[]), cast(${words} as text[])) as texts (id, words)
      on conflict (post_id) do update set words = excluded.words`.execute(trx);
  },
  // PostgreSQL computes an array before anything else. Of a subquery in its place it assumes that half a
  // percent of all posts match, so it would read the list in its order until a page is full: for a rare word,
  // the whole list.
  matches: (postId, words) =>
    sql<SqlBool>`${postId} = any(array(select posts_with_words(${postgresTerm(words)}, null)))`,
  matchesEach: (postId, words) => sql<SqlBool>`coalesce((
    select words @@ ${postgresTerm(words)} from post_search where post_search.post_id = ${postId}
  ), false)`,
  // Within `coalesce` PostgreSQL can only look each post up in a hash table.
  matchesInOrder: (postId, words) =>
    sql<SqlBool>`coalesce(${postId} in (select posts_with_words(${postgresTerm(words)}, null)), false)`,
  countMatches: async (db, words, most) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (
      select posts_with_words(${postgresTerm(words)}, ${most})
    ) as found`.execute(db);
    return rows[0]?.count ?? 0;
  },
  postsMissingFromSearch: async (db, most) => {
    const { rows } = await sql<{ id: string }>`select posts.id from posts
      left join post_search on post_search.post_id = posts.id
      where post_search.post_id is null limit ${most}`.execute(db);
    return rows.map(row => row.id);
  },
  positionIn: (column, part) => sql<number>`strpos(${column}, ${part})`,
  containsText: (column, part) => sql<SqlBool>`${column} ilike ${pattern(part)} escape '\\'`,
  forUpdate: query => query.forUpdate(),
  shared: query => query.forShare(),
  skipLocked: query => query.forUpdate().skipLocked(),
  hasTable: async (db, name) => {
    const { rows } = await sql`select 1 where to_regclass(${name}) is not null`.execute(db);
    return rows.length > 0;
  },
  // PostgreSQL checks foreign keys itself.
  integrityErrors: async () => [],
  brokenReferences: async () => [],
};

/** Words of letters and digits alone, each of which begins a word that is looked for. */
const sqliteTerm = (words: readonly string[]) => words.map(word => `"${word}"*`).join(' ');
const postgresTerm = (words: readonly string[]) =>
  sql`cast(${words.map(word => `'${word}':*`).join(' & ')} as tsquery)`;

/** A pattern of `like` in which nothing of the text is a wildcard. */
function pattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The dialect of a database or of a transaction on it. */
export function dialectOf(db: Kysely<Tables>): EngineDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}

/** Whether an error says that a unique value exists already: PostgreSQL's 23505, SQLITE_CONSTRAINT_UNIQUE. */
export function isDuplicate(error: unknown): boolean {
  const isInSqlite = error instanceof Error && 'errcode' in error && error.errcode === 2067;
  return isInSqlite || hasCode(error, '23505');
}

/** Whether PostgreSQL has ended a transaction because it and another one waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return hasCode(error, '40P01');
}

/**
 * Whether PostgreSQL has ended a statement because it has waited for a lock for as long as `lock_timeout`
 * says.
 */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, '55P03');
}

/** Whether an error has this code of PostgreSQL. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
