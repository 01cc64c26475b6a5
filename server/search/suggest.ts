import type { Expression, SqlBool } from 'kysely';
import type { SearchReading } from '../db/post-search.ts';

/**
 * The words of a search with unknown ones replaced by likely ones; undefined if there are none. All of them
 * are in posts that meet the condition: other posts have no influence.
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

/** The closest of the words in such posts; of equally close ones the most frequent. */
async function likelyWord(
  index: SearchReading,
  word: string,
  condition: Expression<SqlBool>,
): Promise<string | undefined> {
  const known = (await index.existing(spellingsOf(word), condition)).sort();
  const most = Math.max(...known.map(other => closeness(word, other)));
  const closest = known.filter(other => closeness(word, other) === most).slice(0, mostCompared);
  if (closest.length < 2) return closest[0];
  const limit = mostCounted;
  const counts: number[] = [];
  for (const token of closest)
    counts.push((await index.best([[[{ token, isPrefix: false }]]], { condition, limit })).length);
  return closest[counts.indexOf(Math.max(...counts))];
}

const mostCompared = 5;
const mostCounted = 20;

/** How alike two words are: by their common letters in any order, their beginning and their length. */
function closeness(word: string, other: string): number {
  const letters = [...other];
  const shared = [...word].filter(letter => {
    const at = letters.indexOf(letter);
    if (at >= 0) letters.splice(at, 1);
    return at >= 0;
  });
  return 2 * shared.length + (word.length === other.length ? 1 : 0) + (word[0] === other[0] ? 1 : 0);
}

/** The letters of the scripts in which words are corrected, without accents, as `fold` leaves them. */
const alphabets = [
  { letters: 'abcdefghijklmnopqrstuvwxyz', vowels: 'aeiouy' },
  { letters: 'абвгдежзиклмнопрстуфхцчшщъыьэюя', vowels: 'аеиоуыэюя' },
  { letters: 'αβγδεζηθικλμνξοπρστυφχψω', vowels: 'αεηιουω' },
] as const;

/** Shorter words have too many neighbours, and longer ones too many candidates. */
const fewestLetters = 4;
const mostLetters = 16;

/**
 * The words that somebody may have meant by a misspelt one: with one letter wrong, missing, too many or
 * transposed, or with one vowel moved and perhaps replaced.
 */
function spellingsOf(word: string): string[] {
  const alphabet = alphabets.find(({ letters }) => [...word].every(letter => letters.includes(letter)));
  if (alphabet === undefined || word.length < fewestLetters || word.length > mostLetters) return [];
  const { letters, vowels } = alphabet;
  const places = [...word].map((_, at) => at);
  const near = [
    ...places.flatMap(at => withLetter(word, at, letters)),
    ...withLetter(word, word.length, letters),
    ...places.map(at => without(word, at)),
    ...places.flatMap(at => withLetter(without(word, at), at, letters)),
    ...places.slice(1).map(at => word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)),
  ];
  const far = places
    .filter(at => vowels.includes(word[at] ?? ''))
    .map(at => without(word, at))
    .flatMap(rest => [...rest, ''].flatMap((_, at) => withLetter(rest, at, vowels)));
  return [...new Set([...near, ...far])].filter(other => other !== word);
}

const without = (word: string, at: number) => word.slice(0, at) + word.slice(at + 1);

const withLetter = (word: string, at: number, letters: string) =>
  [...letters].map(letter => word.slice(0, at) + letter + word.slice(at));
