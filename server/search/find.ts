import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { TagCatalogue } from '../access/audience.ts';
import { dialectOf } from '../db/dialect.ts';
import type { FindNewest, SearchQuery } from '../db/post-search.ts';
import type { Tables } from '../db/tables.ts';
import { places, tagToken } from './tokens.ts';
import { tokensOf, wordsOf } from './words.ts';

/** What is looked for. */
export type Search = {
  words: readonly string[];
  /** The tags that the finder may know: a post is also found by their names. */
  tags: readonly SearchedTag[];
  /** A tag that each post must have. */
  withTag?: string | undefined;
  /** Whether words that only begin with these count for nothing. */
  isWhole?: boolean | undefined;
};
type SearchedTag = { id: string; name: string };

/**
 * The ranks in which posts are found, from the first: by where the words stand, by whether these are the
 * words themselves or only begin others, then newest first. All of it is in the post itself: ranks by how
 * rare a word is would tell of posts that a reader may not see.
 */
const ranks = [
  { at: [places.title], isExact: true },
  { at: [places.title], isExact: false },
  { at: [places.title, places.description], isExact: true, withTags: true },
  { at: [places.title, places.description], isExact: false, withTags: true },
  { at: [''], isExact: true, withTags: true },
  { at: [''], isExact: false, withTags: true },
] as const satisfies readonly Rank[];

type Rank = { at: readonly string[]; isExact: boolean; withTags?: boolean };

/**
 * The ids of the posts that hold all words and meet a condition on `entries`, best first; at most `needed`.
 */
export async function findPosts(
  db: Kysely<Tables>,
  search: Search,
  { condition, needed }: { condition: Expression<SqlBool>; needed: number },
): Promise<string[]> {
  if (search.words.length === 0) return [];
  const { postSearch } = dialectOf(db);
  return await postSearch.reading(db, async newest => {
    // Queries by the beginning of a word collect every match first, which is slow: once for several words
    // that no post holds together, and not at all where one of them is in none.
    if (search.words.length > 1) {
      if (!(await isEachFound(newest, search, condition))) return [];
      if (!(await isFoundBy(newest, search, condition))) return [];
    }
    const found = new Set<string>();
    for (const query of queriesOf(search)) {
      // A post of an earlier rank is also in later ones.
      for (const id of await newest(query, { condition, limit: needed })) found.add(id);
      if (found.size >= needed) break;
    }
    return [...found].slice(0, needed);
  });
}

/** Whether any post that meets the condition holds all words. */
export async function isFound(
  db: Kysely<Tables>,
  search: Search,
  condition: Expression<SqlBool>,
): Promise<boolean> {
  return await dialectOf(db).postSearch.reading(db, newest => isFoundBy(newest, search, condition));
}

async function isFoundBy(
  newest: FindNewest,
  search: Search,
  condition: Expression<SqlBool>,
): Promise<boolean> {
  // The last rank holds those of all others. The one before, of whole words, is quick for a common word.
  for (const query of queriesOf(search).slice(-2))
    if ((await newest(query, { condition, limit: 1 })).length > 0) return true;
  return false;
}

/** Whether each of the words is in any such post, not all of them in one. */
async function isEachFound(
  newest: FindNewest,
  search: Search,
  condition: Expression<SqlBool>,
): Promise<boolean> {
  for (const word of search.words)
    if (!(await isFoundBy(newest, { ...search, words: [word] }, condition))) return false;
  return true;
}

function queriesOf(search: Search): SearchQuery[] {
  const queries = ranks.filter(rank => rank.isExact || !search.isWhole).map(rank => queryOf(search, rank));
  // Without words that can begin others the exact query finds the same.
  return queries.filter((query, index) => JSON.stringify(query) !== JSON.stringify(queries[index - 1]));
}

function queryOf({ words, tags, withTag }: Search, { at, isExact, withTags }: Rank): SearchQuery {
  const filter = withTag === undefined ? [] : [[{ token: tagToken(withTag), isPrefix: false }]];
  const groups = words.flatMap(word => {
    const ofTags = withTags ? tags.filter(tag => isNamed(tag, word, isExact)) : [];
    return tokensOf(word).map(({ text, match }) => [
      ...at.map(place => ({
        token: place + text,
        isPrefix: match === 'beginning' || (match === 'either' && !isExact),
      })),
      ...ofTags.map(({ id }) => ({ token: tagToken(id), isPrefix: false })),
    ]);
  });
  return [...groups, ...filter];
}

function isNamed({ name }: SearchedTag, word: string, isExact: boolean): boolean {
  return wordsOf(name).some(own => (isExact ? own === word : own.startsWith(word)));
}

/** The tags of the published posts that somebody may read, whose names a search may look through. */
export function tagsIn(
  catalogue: TagCatalogue,
  sets: readonly { tagIds: readonly string[] }[],
): SearchedTag[] {
  const ids = new Set(sets.flatMap(set => set.tagIds));
  return [...ids].flatMap(id => catalogue.tags.get(id) ?? []);
}

/** All of these conditions. */
export const allOf = (conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> =>
  conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
