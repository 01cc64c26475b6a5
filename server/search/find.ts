import { type Expression, type SqlBool, sql } from 'kysely';
import type { TagCatalogue } from '../access/audience.ts';
import type { SearchQuery, SearchReading } from '../db/post-search.ts';
import { places, tagToken } from './tokens.ts';
import { tokensOf, wordsOf } from './words.ts';

export type Search = {
  words: readonly string[];
  /** The tags that the searcher may know: posts are also found by their names. */
  tags: readonly SearchedTag[];
  withTag?: string | undefined;
  whole?: ReadonlySet<string>;
  /** Whether each word is known to be in some post. */
  areHeld?: boolean;
};
type SearchedTag = { id: string; name: string };

/**
 * The ranks of matches, best first: by the place of the words, by whether they match whole words or
 * beginnings, then newest first. All of it is in the post itself: ranks by the rarity of a word would reveal
 * posts that a reader may not see.
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

/** The first ranks are quick: titles have few words, and whole words are looked up one by one. */
const quickRanks = 3;

export type Found = {
  /** The ids of the posts, best first. */
  ids: string[];
  /** If nothing was found: the words that are in no post. */
  missing: string[];
};

/** The posts with all words that meet a condition on `entries`, at most `needed`. */
export async function findPosts(
  index: SearchReading,
  asked: Search,
  { condition, needed }: { condition: Expression<SqlBool>; needed: number },
): Promise<Found> {
  const { words, areHeld = false } = asked;
  let search = asked;
  if (words.length === 0) return { ids: [], missing: [] };
  const anywhere = (some: readonly string[]) => queriesOf({ ...asked, words: some }, ranks.slice(-2));
  const placeOfAll = async () => (await index.matched([anywhere(words)], condition))[0];
  // If each word is known to be in some post, it is only unknown whether any post has them all.
  if (areHeld && words.length > 1) {
    const place = await placeOfAll();
    if (place === -1) return { ids: [], missing: [] };
    // If a post has them all as whole words, they are not searched as beginnings, which takes longest.
    if (place === 0) search = { ...asked, whole: new Set(words) };
  }
  const where = { condition, limit: needed };
  const first = await index.best(queriesOf(search, ranks.slice(0, quickRanks)), where);
  if (first.length >= needed) return { ids: first.slice(0, needed), missing: [] };
  // Queries by the beginning of a word collect every match first, which is slow: they are skipped if a word
  // is in no post, and run once if no post has all of them.
  if (first.length === 0 && words.length > 1 && !areHeld) {
    const places = await index.matched(
      words.map(word => anywhere([word])),
      condition,
    );
    const missing = words.filter((_, at) => places[at] === -1);
    if (missing.length > 0 || (await placeOfAll()) === -1) return { ids: [], missing };
  }
  const others = await index.best(queriesOf(search, ranks.slice(quickRanks)), where);
  const ids = [...new Set([...first, ...others])].slice(0, needed);
  return { ids, missing: ids.length > 0 ? [] : [...words] };
}

function queriesOf(search: Search, among: readonly Rank[]): SearchQuery[] {
  const queries = among.map(rank => queryOf(search, rank));
  // Without words that may be beginnings the exact query finds the same.
  return queries.filter((query, index) => JSON.stringify(query) !== JSON.stringify(queries[index - 1]));
}

function queryOf({ words, tags, withTag, whole }: Search, { at, isExact, withTags }: Rank): SearchQuery {
  const filter = withTag === undefined ? [] : [[{ token: tagToken(withTag), isPrefix: false }]];
  const groups = words.flatMap(word => {
    const isWhole = isExact || whole?.has(word) === true;
    const ofTags = withTags ? tags.filter(tag => isNamed(tag, word, isWhole)) : [];
    return tokensOf(word).map(({ text, match }) => [
      ...at.map(place => ({
        token: place + text,
        isPrefix: match === 'beginning' || (match === 'either' && !isWhole),
      })),
      ...ofTags.map(({ id }) => ({ token: tagToken(id), isPrefix: false })),
    ]);
  });
  return [...groups, ...filter];
}

function isNamed({ name }: SearchedTag, word: string, isWhole: boolean): boolean {
  return wordsOf(name).some(own => (isWhole ? own === word : own.startsWith(word)));
}

/** The tags of the published posts that somebody may read; a search may look through their names. */
export function tagsIn(
  catalogue: TagCatalogue,
  sets: readonly { tagIds: readonly string[] }[],
): SearchedTag[] {
  const ids = new Set(sets.flatMap(set => set.tagIds));
  return [...ids].flatMap(id => catalogue.tags.get(id) ?? []);
}

export const allOf = (conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> =>
  conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
