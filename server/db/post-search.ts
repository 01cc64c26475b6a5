import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** A post as it is found. */
export type SearchEntry = {
  post_id: string;
  /** Milliseconds: newer posts come first. */
  sortedAt: number;
  tag_set_id: number;
  published_at: number | null;
  type: 'short' | 'essay';
  has_pictures: boolean;
  /** Words, each perhaps after one of the signs `_-+`; they hold no space and no quotation mark. */
  tokens: readonly string[];
};

/** Of each group at least one token must be there, or one that begins with it. */
export type SearchQuery = readonly (readonly { token: string; isPrefix: boolean }[])[];

/**
 * The index as it is at one moment. Conditions are on the columns of `entries`, which are those of {@link
 * SearchEntry}.
 */
export type SearchReading = {
  /**
   * The posts that match one of these queries, those of an earlier one first, then the newest. Where a query
   * fills the limit, later ones are not asked.
   */
  best(
    queries: readonly SearchQuery[],
    where: { condition: Expression<SqlBool>; limit: number },
  ): Promise<string[]>;
  /** For each of these lists the place of the first query that a post matches, or -1: the quickest first. */
  matched(lists: readonly (readonly SearchQuery[])[], condition: Expression<SqlBool>): Promise<number[]>;
  /** Those of these tokens that some post has. */
  existing(tokens: readonly string[], condition: Expression<SqlBool>): Promise<string[]>;
};

/** The index by which posts are found, as each engine keeps it. */
export type PostSearch = {
  /** Makes posts findable by these tokens, in place of earlier ones. Within a transaction. */
  write(trx: Kysely<Tables>, entries: readonly SearchEntry[]): Promise<void>;
  /** Searches that all see the same state. */
  reading<T>(db: Kysely<Tables>, act: (reading: SearchReading) => Promise<T>): Promise<T>;
  /** Posts that are missing from the index, up to `most`: a program that does not write it has saved them. */
  missing(db: Kysely<Tables>, most: number): Promise<string[]>;
  /** Merges the parts in which the index was written: a search looks a word up in each of them. */
  mergeParts(db: Kysely<Tables>, stopping: AbortSignal): Promise<void>;
};

/**
 * Orders entries by time. Posts of the same millisecond share the numbers that follow; in SQLite the number
 * is the key of the entry.
 */
const numberOf = ({ sortedAt }: SearchEntry) =>
  Math.max(-latest, Math.min(latest, Math.trunc(sortedAt))) * 1_024;
const latest = 2 ** 42;

/** The number with which the entries of a moment begin, for conditions on `entries.number`. */
export const firstNumberAt = (time: number) => time * 1_024;

export const sqlitePostSearch: PostSearch = {
  write: async (trx, entries) => {
    for (const entry of entries) {
      const { post_id } = entry;
      const before = await sql<{ number: number }>`delete from post_search_rows
        where post_id = ${post_id} returning number`.execute(trx);
      for (const row of before.rows)
        await sql`delete from post_search where rowid = ${row.number}`.execute(trx);
      const number = await addRow(trx, entry);
      await sql`insert into post_search (rowid, tokens) values (${number}, ${entry.tokens.join(' ')})`.execute(
        trx,
      );
    }
  },
  // A statement of SQLite never waits for another one of the same process.
  reading: async (db, act) => {
    const best: SearchReading['best'] = async (queries, { condition, limit }) => {
      const found = new Set<string>();
      for (const query of queries) {
        // The index is read from its newest entry on, until enough are found.
        const { rows } = await sql<{ post_id: string }>`select entries.post_id
          from post_search cross join post_search_rows as entries on entries.number = post_search.rowid
          where post_search match ${sqliteQuery(query)} and ${condition}
          order by post_search.rowid desc limit ${limit}`.execute(db);
        for (const row of rows) found.add(row.post_id);
        if (rows.length === limit) break;
      }
      return [...found];
    };
    const matched: SearchReading['matched'] = async (lists, condition) => {
      const isThere = async (query: SearchQuery) => (await best([query], { condition, limit: 1 })).length > 0;
      const places: number[] = [];
      for (const queries of lists) {
        let place = -1;
        // For a long beginning all posts that have it are collected first, for a short one they are not.
        for (const [at, query] of queries.entries())
          if (place < 0 && (await isThere(shortened(query))) && (await isThere(query))) place = at;
        places.push(place);
      }
      return places;
    };
    const existing: SearchReading['existing'] = async (tokens, condition) => {
      const { rows } = await sql<{ value: string }>`select value from json_each(${JSON.stringify(tokens)})
        where exists (
          select 1 from post_search cross join post_search_rows as entries on entries.number = post_search.rowid
          where post_search match '"' || value || '"' and ${condition}
        )`.execute(db);
      return rows.map(row => row.value);
    };
    return await act({ best, matched, existing });
  },
  missing: async (db, most) => {
    const { rows } = await sql<{ id: string }>`select posts.id from posts
      left join post_search_rows on post_search_rows.post_id = posts.id
      left join post_search_docsize on post_search_docsize.id = post_search_rows.number
      where post_search_docsize.id is null limit ${most}`.execute(db);
    return rows.map(row => row.id);
  },
  mergeParts: async (db, stopping) => {
    while (!stopping.aborted) {
      // In small steps: other writes wait for each. One that finds nothing to merge counts as one change.
      const changes = await db.transaction().execute(async trx => {
        const before = await changesOf(trx);
        await sql`insert into post_search (post_search, rank) values ('merge', ${pagesAtOnce})`.execute(trx);
        return (await changesOf(trx)) - before;
      });
      if (changes < 2) return;
    }
  },
};

const pagesAtOnce = 16;

/** Letters of the longest beginnings that the index keeps (`prefix` in its migration). */
const keptBeginning = 3;

/** A query that finds the same posts and more: its beginnings are only those that the index keeps. */
const shortened = (query: SearchQuery): SearchQuery =>
  query.map(group =>
    group.map(({ token, isPrefix }) => ({
      token: isPrefix ? [...token].slice(0, keptBeginning).join('') : token,
      isPrefix,
    })),
  );

/** How many rows the connection of a transaction has changed since it was opened. */
async function changesOf(trx: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(trx);
  return Number(rows[0]?.changes);
}

/**
 * Adds the row of an entry under a free number of its moment, which it returns: behind the last one, because
 * all files of an archive may have the same time. A post that is saved again moves behind the last one, too.
 */
async function addRow(trx: Kysely<Tables>, entry: SearchEntry): Promise<number> {
  const { post_id, tag_set_id, published_at, type, has_pictures } = entry;
  const first = numberOf(entry);
  for (let span = numbersAtOnce; ; span *= 2) {
    const { rows } = await sql<{ number: number }>`insert into post_search_rows
      (number, post_id, tag_set_id, published_at, type, has_pictures)
      select coalesce(max(number) + 1, ${first}), ${post_id}, ${tag_set_id}, ${published_at}, ${type},
        ${has_pictures ? 1 : 0}
      from post_search_rows where number between ${first} and ${first + span - 1}
      on conflict (number) do nothing returning number`.execute(trx);
    const [row] = rows;
    if (row !== undefined) return Number(row.number);
  }
}

/** Of one moment, before those of later ones are passed over, too. */
const numbersAtOnce = 1_024;

export const postgresPostSearch: PostSearch = {
  write: async (trx, entries) => {
    const rows = entries.map(entry => ({
      ...entry,
      number: numberOf(entry),
      tokens: [...entry.tokens, blockToken(blockOf(numberOf(entry)))].join(' '),
    }));
    await sql`insert into post_search (post_id, number, tag_set_id, published_at, type, has_pictures, tokens)
      select post_id, number, tag_set_id, published_at, type, has_pictures,
        array_to_tsvector(string_to_array(tokens, ' '))
      from jsonb_to_recordset(cast(${JSON.stringify(rows)} as jsonb)) as rows (
        post_id text, number bigint, tag_set_id integer, published_at bigint, type text, has_pictures boolean,
        tokens text)
      on conflict (post_id) do update set number = excluded.number, tag_set_id = excluded.tag_set_id,
        published_at = excluded.published_at, type = excluded.type, has_pictures = excluded.has_pictures,
        tokens = excluded.tokens`.execute(trx);
  },
  reading: async (db, act) =>
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async trx => {
        const recent = await beginReading(trx);
        // A word that many posts have is found in the newest ones, without collecting all others.
        const newestFirst = (query: SearchQuery) =>
          recent.length > 0 ? [[...query, recent], query] : [query];
        const best: SearchReading['best'] = async (queries, { condition, limit }) => {
          const steps = queries.flatMap(newestFirst);
          const asked = sql`cast(${steps.map(postgresQuery)} as tsquery[])`;
          // One statement for all. The order is by an expression, so that no index can give it: the planner
          // would walk one from its newest entry, and read the words of each post.
          const { rows } = await sql<{ ids: string[] }>`
            with recursive steps (step, ids) as (
              select 0, cast('{}' as text[])
              union all
              select step + 1, array(
                select entries.post_id from post_search as entries
                where entries.tokens @@ (${asked})[step + 1] and ${condition}
                order by entries.number + 0 desc, entries.post_id desc limit ${limit})
              from steps where step < ${steps.length} and cardinality(ids) < ${limit})
            select ids from steps order by step`.execute(trx);
          return [...new Set(rows.flatMap(row => row.ids))];
        };
        const matched: SearchReading['matched'] = async (lists, condition) => {
          const exists = (query: SearchQuery) => sql`exists (select 1 from post_search as entries
            where entries.tokens @@ cast(${postgresQuery(query)} as tsquery) and ${condition})`;
          const places = lists.map(queries => {
            const cases = queries.flatMap((query, place) =>
              (place === 0 ? newestFirst(query) : [query]).map(
                one => sql`when ${exists(one)} then ${sql.lit(place)}`,
              ),
            );
            return sql`case ${sql.join(cases, sql` `)} else -1 end`;
          });
          const { rows } = await sql<{
            places: number[];
          }>`select array[${sql.join(places)}] as places`.execute(trx);
          return rows[0]?.places ?? [];
        };
        // Most of them are in no post at all, which one query tells of many at once. With the condition in
        // it, the planner may begin with that.
        const existing: SearchReading['existing'] = async (tokens, condition) => {
          const { rows } = await sql<{ token: string }>`with held as materialized (
              select groups.tokens from unnest(cast(${groupsOf(tokens)} as text[])) as groups (tokens)
              where exists (
                select 1 from post_search where post_search.tokens @@ cast(groups.tokens as tsquery))
            ), known as materialized (
              select query, token from held
              cross join lateral unnest(string_to_array(held.tokens, ' | ')) as token
              cross join lateral (select cast(token as tsquery) as query) as queries
              where exists (select 1 from post_search where post_search.tokens @@ query)
            )
            select token from known
            where exists (select 1 from post_search as entries where entries.tokens @@ query and ${condition})
            `.execute(trx);
          return rows.map(row => row.token.slice(1, -1));
        };
        return await act({ best, matched, existing });
      }),
  missing: async (db, most) => {
    const { rows } = await sql<{ id: string }>`select posts.id from posts
      left join post_search on post_search.post_id = posts.id
      where post_search.post_id is null limit ${most}`.execute(db);
    return rows.map(row => row.id);
  },
  // Words of posts that were saved since are listed one after another, and each search reads the whole list.
  mergeParts: async db => {
    await sql`select gin_clean_pending_list('post_search_tokens')`.execute(db);
  },
};

/** The entries of about four weeks have a token in common. */
const blockOf = (number: number) => Math.floor(number / 2 ** 41);
const blockToken = (block: number) => `@${block}`;
/** So many of the newest posts are searched first, unless they were written over many years. */
const recentPosts = 2_000;
const mostBlocks = 60;

/**
 * Prepares a transaction for searches, and returns the tokens of the time in which the newest posts were
 * written; none for a small site. The planner does not count that the words of posts are stored outside
 * their rows: for a word that many posts have it would read those of all.
 */
async function beginReading(trx: Kysely<Tables>): Promise<{ token: string; isPrefix: boolean }[]> {
  const { rows } = await sql<{ newest: string | null; number: string | null }>`
    select set_config('enable_seqscan', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true),
      (select max(number) from post_search) as newest,
      (select number from post_search order by number desc offset ${recentPosts} limit 1) as number
    `.execute(trx);
  const { newest = null, number = null } = rows[0] ?? {};
  if (newest === null || number === null) return [];
  const [first, last] = [blockOf(Number(number)), blockOf(Number(newest))];
  const blocks = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return blocks.length > mostBlocks
    ? []
    : blocks.map(block => ({ token: blockToken(block), isPrefix: false }));
}

/** Of likely words, of which most are in no post. */
const tokensAtOnce = 32;

/** Queries for any of so many tokens. */
function groupsOf(tokens: readonly string[]): string[] {
  const groups: string[] = [];
  for (let from = 0; from < tokens.length; from += tokensAtOnce) {
    const some = tokens.slice(from, from + tokensAtOnce);
    groups.push(some.map(token => `'${token}'`).join(' | '));
  }
  return groups;
}

const sqliteQuery = (query: SearchQuery) =>
  query
    .map(group => `(${group.map(({ token, isPrefix }) => `"${token}"${isPrefix ? ' *' : ''}`).join(' OR ')})`)
    .join(' AND ');

const postgresQuery = (query: SearchQuery) =>
  query
    .map(group => `(${group.map(({ token, isPrefix }) => `'${token}'${isPrefix ? ':*' : ''}`).join(' | ')})`)
    .join(' & ');
