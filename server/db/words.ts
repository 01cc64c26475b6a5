/** What is searched of a post, folded too: what PostgreSQL takes for one ends at 1 MiB of words. In UTF-16 units. */
const searchedLength = 200_000;

/**
 * What is written or left out at will: accents of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs
 * and the stroke that stretches a word. Marks of other scripts make another word (Devanagari, Thai, kana), and stay.
 */
const optionalMarks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+/g;

/**
 * The words of a text, without case and optional marks, in order. Posts and search terms go through this one function,
 * so that both engines find the same; migration 0020 holds a copy of it, so a change here needs another one.
 */
export function wordsOf(text: string): string[] {
  const folded = text
    .slice(0, searchedLength)
    .toWellFormed()
    // Putting marks in order takes the square of their number, and no letter has so many.
    .replaceAll(/(\p{M}{30})\p{M}+/gu, '$1')
    .normalize('NFD')
    .replaceAll(optionalMarks, '')
    .normalize('NFC')
    .slice(0, searchedLength)
    .toLowerCase()
    // At the end of a word the same letter.
    .replaceAll('ς', 'σ');
  return folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,99}/gu) ?? [];
}

/** A search of more words than that is one for the first of them. */
const mostSearchWords = 20;

/** The words of a search term. A post is found when each of them begins a word of it. */
export function searchWords(term: string): string[] {
  return wordsOf(term).slice(0, mostSearchWords);
}
