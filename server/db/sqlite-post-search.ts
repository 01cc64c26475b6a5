import { type Kysely, sql } from 'kysely';
import {
  isNumberBetween,
  numberOf,
  type PostSearch,
  type SearchEntry,
  type SearchQuery,
  type SearchReading,
} from './post-search.ts';
import type { Tables } from './tables.ts';

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
  move: async (trx, postIds, tagSetId) => {
    await sql`update post_search_rows set tag_set_id = ${tagSetId}
      where post_id in (select value from json_each(${JSON.stringify(postIds)}))`.execute(trx);
  },
  // On the number in the index itself: it skips the entries of other years, in place of reading each row.
  isBetween: (from, until) => isNumberBetween(sql`post_search.rowid`, from, until),
  // Without a transaction: each search sees the state of its own moment.
  reading: async (db, act) => {
    const newest: SearchReading['newest'] = async ({ condition, limit }) => {
      // The other name is that of the index in `isBetween`.
      const { rows } = await sql<{ post_id: string }>`select entries.post_id
        from post_search_rows as entries join post_search_rows as post_search
          on entries.number = post_search.rowid
        where ${condition} order by entries.number desc limit ${limit}`.execute(db);
      return rows.map(row => row.post_id);
    };
    const hasAny: SearchReading['hasAny'] = async condition =>
      (await newest({ condition, limit: 1 })).length > 0;
    const best: SearchReading['best'] = async (queries, { condition, limit }) => {
      const found = new Set<string>();
      for (const query of queries) {
        // The index is read from its newest entry until enough matches are found.
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
      const matches = async (query: SearchQuery) => (await best([query], { condition, limit: 1 })).length > 0;
      // For a long prefix all matching posts are collected first, for a short one they are not.
      const isThere = async (query: SearchQuery) => {
        const short = shortened(query);
        const isShort = sqliteQuery(short) === sqliteQuery(query);
        return (isShort || (await matches(short))) && (await matches(query));
      };
      const places: number[] = [];
      for (const queries of lists) {
        let place = -1;
        for (const [at, query] of queries.entries()) if (place < 0 && (await isThere(query))) place = at;
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
    return await act({ hasAny, newest, best, matched, existing });
  },
  missing: async (db, after, most) => {
    const { rows } = await sql<{ id: string }>`select posts.id from posts
      left join post_search_rows on post_search_rows.post_id = posts.id
      left join post_search_docsize on post_search_docsize.id = post_search_rows.number
      where post_search_docsize.id is null and posts.id > ${after} order by posts.id limit ${most}`.execute(
      db,
    );
    return rows.map(row => row.id);
  },
  mergeParts: async (db, stopping) => {
    while (!stopping.aborted) {
      // In small steps: other writes wait for each. A step that finds nothing to merge counts as one change.
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

/** The length of the longest prefixes in the index (`prefix` in its migration). */
const keptBeginning = 3;

/** A query that finds the same posts and more: its prefixes are shortened to those in the index. */
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
 * Adds the row of an entry under a free number of its moment, which it returns: after the last one, because
 * all files of an archive may have the same time. A post that is saved again also moves after the last one.
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

/** The most numbers of one moment, before those of later moments are skipped, too. */
const numbersAtOnce = 1_024;

const sqliteQuery = (query: SearchQuery) =>
  query
    .map(group => `(${group.map(({ token, isPrefix }) => `"${token}"${isPrefix ? ' *' : ''}`).join(' OR ')})`)
    .join(' AND ');
