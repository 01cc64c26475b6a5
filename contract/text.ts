/**
 * The number of characters as people count them: a flag or a family is one. It stops above `most` and returns
 * `most + 1`, because counting the longest post takes a fifth of a second.
 */
export function countCharacters(text: string, most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (const _ of new Intl.Segmenter('en').segment(text)) {
    count += 1;
    if (count > most) break;
  }
  return count;
}

/** What a short post is called where its words would stand and it has none: it is a picture. */
export const untitled = 'Untitled';

/**
 * Units of one character as people count them, at most: one with endless marks must not be stored. A family
 * has eleven.
 */
const unitsPerCharacter = 16;

/** Whether a text has at most so many characters as people count them. */
export function isWithin(text: string, most: number): boolean {
  if (text.length <= most) return true;
  return text.length <= unitsPerCharacter * most && countCharacters(text, most) <= most;
}

/** The start of a text, of at most so many characters as people count them. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let start = '';
  let count = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    count += 1;
    if (count > most) break;
    start += segment;
  }
  return start;
}

/** A text on one line, with one space between its words. */
export const oneLine = (text: string) => text.trim().replaceAll(/\s+/gu, ' ');

/** The start of a text. No character of two units is cut in half. */
export function firstCodePoints(text: string, most: number): string {
  // A code point has at most two units.
  return [...text.slice(0, most * 2)].slice(0, most).join('');
}

/**
 * At most `max` characters, ending with a whole word, or with a whole character in languages that put no
 * spaces between words, and an ellipsis where something is left out.
 */
export function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max - 1);
  const words = /\s/.test(text.charAt(max - 1)) ? start : start.replace(/\s+\S*$/u, '');
  const lost = start.slice(words.length);
  // Where words have no spaces between them, or one has no end, a word would be nearly all of it.
  const isWithin = words === start || lost.length > longWordCharacters || withoutSpaces.test(lost);
  const kept = isWithin ? wholeCharacters(text, max - 1) : words;
  return `${kept.replace(/[\s,;:.–—，、；：。・-]+$/u, '')}…`;
}

const longWordCharacters = 40;
const withoutSpaces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** No character that people see as one is longer, but for contrived ones. */
const longestCharacter = 64;

/** The start of a text, of at most `most` units, that ends with a whole character as people see it. */
function wholeCharacters(text: string, most: number): string {
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter('en').segment(text.slice(0, most + longestCharacter))) {
    if (index + segment.length > most) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/**
 * How many there are, in words: `1 like`, `2 likes`. Without separators: the server finds and fills in the
 * number in rendered pages (template.ts), so this is not `amount`.
 */
export function counted(count: number, noun: 'like' | 'comment'): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** Compares names for a list that people read. */
export function inAlphabeticalOrder(a: string, b: string): number {
  return a.localeCompare(b, 'en');
}
