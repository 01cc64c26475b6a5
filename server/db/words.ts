/**
 * How much of a post's text is searched, before and after folding, in UTF-16 units: PostgreSQL indexes at
 * most 1 MiB of words of one post.
 */
const searchedLength = 200_000;

/**
 * Marks that people write or leave out as they like: accents of Latin, Greek and Cyrillic letters, Hebrew
 * points, Arabic vowel signs and the stroke that stretches a word. Marks of other scripts (Devanagari, Thai,
 * kana) make a different word, so they are kept.
 */
const optionalMarks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+/g;

/**
 * The words of a text, without case and optional marks, in order. Posts and search terms go through this one
 * function, so that both engines find the same; migration 0020 holds a copy of it, so a change here needs
 * another one.
 */
export function wordsOf(text: string): string[] {
  const folded = text
    .slice(0, searchedLength)
    .toWellFormed()
    // Sorting marks takes time with the square of their number, and no letter has so many.
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

/** Of a longer search term only so many words count. */
const mostSearchWords = 20;

/** The words of a search term. A post is found when each of them begins a word of it. */
export function searchWords(term: string): string[] {
  return wordsOf(term).slice(0, mostSearchWords);
}
