import { type Kysely, sql } from 'kysely';
import {
  isNumberBetween,
  numberOf,
  type PostSearch,
  type SearchQuery,
  type SearchReading,
} from './post-search.ts';
import type { Tables } from './tables.ts';

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
  move: async (trx, postIds, tagSetId) => {
    await sql`update post_search set tag_set_id = ${tagSetId} where post_id = any(${postIds})`.execute(trx);
  },
  isBetween: (from, until) => isNumberBetween(sql`entries.number`, from, until),
  reading: async (db, act) =>
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async trx => {
        const recent = await beginReading(trx);
        // Finds a frequent word in the newest posts without collecting all others.
        const newestFirst = (query: SearchQuery) =>
          recent.length > 0 ? [[...query, recent], query] : [query];
        // In any order: by an index of it each row is looked up by itself.
        const hasAny: SearchReading['hasAny'] = async condition => {
          const { rows } = await sql`select 1 from post_search as entries
            where ${condition} limit 1`.execute(trx);
          return rows.length > 0;
        };
        const newest: SearchReading['newest'] = async ({ condition, limit }) => {
          const { rows } = await sql<{ post_id: string }>`select entries.post_id from post_search as entries
            where ${condition} order by entries.number desc, entries.post_id desc limit ${limit}`.execute(
            trx,
          );
          return rows.map(row => row.post_id);
        };
        const best: SearchReading['best'] = async (queries, { condition, limit }) => {
          const steps = queries.flatMap(newestFirst);
          const asked = sql`cast(${steps.map(postgresQuery)} as tsquery[])`;
          // One statement for all queries. The order is by an expression, so that no index can give it: the
          // planner would scan one from its newest entry, and read the words of each post.
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
        // Most of these tokens are in no post, which one query finds out for many at once. With the condition
        // in that query, the planner might begin with the condition.
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
        return await act({ hasAny, newest, best, matched, existing });
      }),
  missing: async (db, after, most) => {
    const { rows } = await sql<{ id: string }>`select posts.id from posts
      left join post_search on post_search.post_id = posts.id
      where post_search.post_id is null and posts.id > ${after} order by posts.id limit ${most}`.execute(db);
    return rows.map(row => row.id);
  },
  // Words of posts that were saved since are listed one after another, and each search reads the whole list.
  mergeParts: async db => {
    await sql`select gin_clean_pending_list('post_search_tokens')`.execute(db);
  },
};

/** The entries of about four weeks share a token. */
const blockOf = (number: number) => Math.floor(number / 2 ** 41);
const blockToken = (block: number) => `@${block}`;
/** This many of the newest posts are searched first, unless they were written over many years. */
const recentPosts = 2_000;
const mostBlocks = 60;

/**
 * Prepares a transaction for searches, and returns the tokens of the period of the newest posts; none for a
 * small site. The planner does not know that the words of posts are stored outside their rows: for a frequent
 * word it would read those of all posts.
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
  const first = blockOf(Number(number));
  const last = blockOf(Number(newest));
  const blocks = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return blocks.length > mostBlocks
    ? []
    : blocks.map(block => ({ token: blockToken(block), isPrefix: false }));
}

/** Candidates for a corrected word, most of which are in no post. */
const tokensAtOnce = 32;

/** Queries for any of this many tokens. */
function groupsOf(tokens: readonly string[]): string[] {
  const groups: string[] = [];
  for (let from = 0; from < tokens.length; from += tokensAtOnce) {
    const some = tokens.slice(from, from + tokensAtOnce);
    groups.push(some.map(token => `'${token}'`).join(' | '));
  }
  return groups;
}

const postgresQuery = (query: SearchQuery) =>
  query
    .map(group => `(${group.map(({ token, isPrefix }) => `'${token}'${isPrefix ? ':*' : ''}`).join(' | ')})`)
    .join(' & ');
