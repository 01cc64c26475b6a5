import { isJoining } from './marks.ts';

/**
 * A word of more characters can be broken after each so many. Where a line has no other place for a break,
 * browsers shape the rest of a word again for each line: 40,000 Arabic letters take Chromium seven seconds,
 * and as many of “AVAV” four, with such places 60 ms. No language has such words.
 */
export const brokenAfter = 200;

/**
 * Spaces before which a line may break, not those that hold words together; and the letters of Chinese,
 * Japanese and Korean, between which it may.
 */
const breaking =
  '\\t-\\r \\u1680\\u2000-\\u2006\\u2008-\\u200b\\u2028\\u2029\\u205f\\u3000\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}';
const longWord = new RegExp(`[^${breaking}]{${brokenAfter + 1}}`, 'u');
const aBreak = new RegExp(`[${breaking}]`, 'u');

export const hasLongWords = (text: string) => text.length > brokenAfter && longWord.test(text);

export const isBreak = (character: string) => aBreak.test(character);

/** The parts of a text between which its long words can be broken. */
export function brokenWords(text: string): string[] {
  if (!hasLongWords(text)) return [text];
  const parts: string[] = [];
  let [part, length] = ['', 0];
  for (const character of text) {
    length = isBreak(character) ? 0 : length + 1;
    // Not between a letter and its marks.
    if (length > brokenAfter && !isJoining(character)) {
      parts.push(part);
      [part, length] = ['', 1];
    }
    part += character;
  }
  return [...parts, part];
}
