import { cutMarks, isJoining } from './marks.ts';

/**
 * Words of more characters can be broken after each so many. Where a line has no other place for a break,
 * browsers shape the rest of a word again for each line: 40,000 Arabic letters take Chromium seven seconds,
 * with such places 60 ms. No language has such words; Thai breaks between words all the same.
 */
export const brokenAfter = 200;

/** Letters whose shape depends on those beside them, or between which dictionaries find the words. */
const joined =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Nkoo}\p{sc=Mand}\p{sc=Mong}\p{sc=Phag}\p{sc=Adlm}\p{sc=Rohg}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
/** Spaces before which a line may break; not those that hold words together. */
const breaking = '[\\t-\\r \\u1680\\u2000-\\u2006\\u2008-\\u200b\\u2028\\u2029\\u205f\\u3000]';
const longWord = new RegExp(`[^${breaking.slice(1)}{${brokenAfter + 1},}`, 'gu');
const aSpace = new RegExp(breaking);

/** Whether a text has a word of joined letters that is too long. */
export const hasLongWords = (text: string) =>
  text.length > brokenAfter &&
  joined.test(text) &&
  (text.match(longWord) ?? []).some(word => joined.test(word));

/** Whether a line may break at a character. */
export const isBreak = (character: string) => aSpace.test(character);

/** A text whose long words of joined letters can be broken: they get spaces of no width. */
export function breakWords(text: string): string {
  if (!hasLongWords(text)) return text;
  return text.replaceAll(longWord, word => {
    if (!joined.test(word)) return word;
    let [broken, length] = ['', 0];
    for (const character of word) {
      // Not between a letter and its marks.
      if (length >= brokenAfter && !isJoining(character)) {
        broken += '\u200b';
        length = 0;
      }
      broken += character;
      length += 1;
    }
    return broken;
  });
}

/** A plain text as pages show it, which may be older than the bounds of what is written. */
export const shownText = (text: string) => breakWords(cutMarks(text));
