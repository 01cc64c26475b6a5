import type { Expression, SqlBool } from 'kysely';
import type { SearchReading } from '../db/post-search.ts';
import { spellingsOf } from './spelling.ts';

/**
 * The words of a search, those that no post holds replaced by likely ones; undefined where there are none.
 * All of them stand in posts that meet the condition: whether other posts hold a word changes nothing.
 */
export async function likelyWords(
  index: SearchReading,
  words: readonly string[],
  { missing, condition }: { missing: readonly string[]; condition: Expression<SqlBool> },
): Promise<string[] | undefined> {
  if (missing.length === 0) return undefined;
  const likely: string[] = [];
  for (const word of words) {
    const other = missing.includes(word) ? await likelyWord(index, word, condition) : word;
    if (other === undefined) return undefined;
    likely.push(other);
  }
  return likely;
}

async function likelyWord(
  index: SearchReading,
  word: string,
  condition: Expression<SqlBool>,
): Promise<string | undefined> {
  for (const spellings of spellingsOf(word)) {
    const known = await index.existing(spellings, condition);
    const [best] = known.sort((a, b) => closeness(word, b) - closeness(word, a) || (a < b ? -1 : 1));
    if (best !== undefined) return best;
  }
  return undefined;
}

/** How alike two words are: by the letters that they share in any order, their beginning and their length. */
function closeness(word: string, other: string): number {
  const letters = [...other];
  const shared = [...word].filter(letter => {
    const at = letters.indexOf(letter);
    if (at >= 0) letters.splice(at, 1);
    return at >= 0;
  });
  return 2 * shared.length + (word.length === other.length ? 1 : 0) + (word[0] === other[0] ? 1 : 0);
}
