/**
 * The number of user-perceived characters: a flag or a family is one. It stops above `most` and returns more,
 * because counting the longest post takes a fifth of a second.
 */
export function countCharacters(text: string, most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (const { segment } of segmenter().segment(text)) {
    count += charactersIn(segment).length;
    if (count > most) break;
  }
  return count;
}

/** One user-perceived character; of a longer row, such as of letters that are joined without end, each. */
const charactersIn = (segment: string) => (segment.length > unitsPerCharacter ? [...segment] : [segment]);

let known: Intl.Segmenter | undefined;
function segmenter(): Intl.Segmenter {
  known ??= new Intl.Segmenter('en');
  return known;
}

/** Letters and punctuation of Latin, Greek and Cyrillic text, of which each unit is one character. */
const isPlain = /^[ -\u02ff\u0370-\u0482\u2010-\u2027]*$/;

function charactersOf(text: string, most: number): string[] {
  // One unit more, because a mark that follows belongs to the last one. Intl.Segmenter takes a phone 60 ms.
  if (isPlain.test(text.slice(0, most + 1))) return text.slice(0, most).split('');
  const found: string[] = [];
  for (const { segment } of segmenter().segment(text.slice(0, unitsWithin(most)))) {
    for (const one of charactersIn(segment)) if (found.push(one) === most) return found;
  }
  return found;
}

/**
 * What a post without a title is called: by its first words, or by its date if it has none, such as one of
 * pictures. A draft has no date.
 */
export const nameWithoutTitle = (words: string, most: number, publishedOn: string): string =>
  cutAtWord(words, most) || publishedOn || untitled;

export const untitled = 'Untitled';

/** The most UTF-16 units of one user-perceived character: a family has 11, a kiss with skin tones 15. */
const unitsPerCharacter = 16;

/** How far back the characters around a place are told apart: a row of flags is read from its beginning. */
const unitsLookedBack = 1_000;

/** The place, from this one on, where a user-perceived character begins. */
export function characterFrom(text: string, place: number): number {
  const from = Math.max(0, place - unitsLookedBack);
  const nearby = text.slice(from, place + unitsPerCharacter);
  const at = segmenter()
    .segment(nearby)
    .containing(place - from);
  return at === undefined || from + at.index === place ? place : from + at.index + at.segment.length;
}

/** An upper bound in UTF-16 units for the first `most` characters. */
export const unitsWithin = (most: number) => unitsPerCharacter * most;

export function isWithin(text: string, most: number): boolean {
  if (text.length <= most) return true;
  return text.length <= unitsWithin(most) && countCharacters(text, most) <= most;
}

export function firstCharacters(text: string, most: number): string {
  return charactersOf(text, most).join('');
}

/**
 * The letter of a site without an icon: the first letter or number of its name, otherwise its first
 * character.
 */
export function initialOf(title: string): string {
  const name = title.replace(/^[^\p{L}\p{N}]+(?=[\p{L}\p{N}])/u, '');
  return firstCharacters(firstCharacters(name, 1).toUpperCase(), 1);
}

/** A text on one line, with one space between its words. */
export const oneLine = (text: string) => text.trim().replaceAll(/\s+/gu, ' ');

/**
 * At most `most` user-perceived characters, with an ellipsis if something is left out. It ends after a whole
 * word, or after any character of a script without spaces between words; a word that is too long to leave
 * out, such as an address, is cut. No dictionary is used, so server and browser cut alike.
 */
export function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = charactersOf(text, most + 1);
  if (characters.length <= most && text.length <= unitsWithin(most + 1)) return text;
  // The ellipsis takes one character.
  const last = Math.min(most - 1, characters.length);
  let end = last;
  while (end > 0 && !isBetweenWords(characters[end - 1], characters[end])) end -= 1;
  if (end === 0 || last - end > longWordCharacters) end = last;
  return `${characters.slice(0, end).join('').replace(danglingPunctuation, '')}…`;
}

const longWordCharacters = 40;
const danglingPunctuation = /[\s,;:.–—，、；：。・([{（「『【“‘-]+$/u;
/** Characters of which each may end a line: of scripts without spaces between words, and emoji. */
const endsAnywhere =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\p{Extended_Pictographic}\p{Regional_Indicator}]/u;

function isBetweenWords(before = '', after = ' '): boolean {
  return /^\s/u.test(after) || endsAnywhere.test(before) || endsAnywhere.test(after);
}

/**
 * Whether the description of an essay is its title again, or how its text begins, as where it was made of
 * one. A place that shows all three leaves it out.
 */
export function isRepeated({
  title,
  description,
  excerpt,
}: Record<'title' | 'description' | 'excerpt', string>) {
  return description === title || `${excerpt} `.startsWith(`${description} `);
}

/** Compares names for a list that people read: `tag 2` before `tag 10`. */
export function inAlphabeticalOrder(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(one, other);
}

/** Made when it is first needed, because it takes a phone 100 ms. */
let collator: Intl.Collator | undefined;
