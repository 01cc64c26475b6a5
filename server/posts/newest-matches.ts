import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '../db/tables.ts';
import { wordsOf } from '../db/words.ts';

/**
 * How many of the newest posts are examined, and how much of each one's text: this takes a few milliseconds.
 */
const lookedAt = 100;
const charactersOfEach = 2_000;
/** How much is read in all of those posts whose beginning does not decide, in characters. */
const charactersOfUndecided = 50_000;

/**
 * The newest posts of a list that match the words of a search term, of which there is at least one, as many
 * as are `needed`; undefined if the newest hundred are not enough to tell. Nearly all of them contain a word
 * that most posts have, while the index of words would collect every post of the site: half a second for
 * 100,000 posts.
 */
export async function newestMatches(
  posts: SelectQueryBuilder<Tables, 'posts', object>,
  words: readonly string[],
  needed: number,
): Promise<string[] | undefined> {
  if (needed > lookedAt) return undefined;
  const beginnings = (ofPosts: typeof posts, length: number) =>
    ofPosts
      .select(['id', 'title', 'description'])
      .select(eb => eb.fn<string>('substr', ['text', eb.lit(1), eb.val(length + 1)]).as('start'))
      .limit(lookedAt)
      .execute();
  const found: string[] = [];
  let left = charactersOfUndecided;
  for (const row of await beginnings(posts, charactersOfEach)) {
    let matches = isMatch(words, row, charactersOfEach);
    if (matches === undefined && left > 0) {
      const [longer] = await beginnings(posts.where('id', '=', row.id), left);
      if (longer === undefined) continue;
      matches = isMatch(words, longer, left);
      left -= longer.start.length;
    }
    if (matches === undefined) return undefined;
    if (matches) found.push(row.id);
    if (found.length === needed) return found;
  }
  return undefined;
}

type Beginning = { title: string | null; description: string | null; start: string };

/**
 * Whether a post matches the words; undefined if the part of its text, of `length` characters, does not
 * decide.
 */
function isMatch(
  words: readonly string[],
  { title, description, start }: Beginning,
  length: number,
): boolean | undefined {
  const isCut = start.length > length;
  const own = wordsOf([title, description, start].join('\n'));
  // The last word of a text that was cut may be incomplete.
  if (isCut) own.pop();
  if (words.every(word => own.some(other => other.startsWith(word)))) return true;
  return isCut ? undefined : false;
}
