/** How much of a text is searched, before and after folding, in UTF-16 units. */
const searchedLength = 200_000;

/**
 * Marks that people use or omit at will: accents of Latin, Greek and Cyrillic letters, Hebrew points, Arabic
 * vowel signs and tatweel. Marks of other scripts (Devanagari, Thai, kana) make a different word, so they are
 * kept.
 */
const optionalMarks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+/g;

/** Scripts without spaces between words. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u');
/** A run of an unspaced script, of any length, or a word, cut after 100 characters. */
const wordForm = new RegExp(
  String.raw`(?=[\p{L}\p{N}])[${unspaced}](?:(?=[\p{L}\p{N}\p{M}])[${unspaced}]|\p{M})*` +
    String.raw`|(?=[\p{L}\p{N}])[^${unspaced}](?:(?![${unspaced}])[\p{L}\p{N}\p{M}]){0,99}`,
  'gu',
);
const letterForm = /[\p{L}\p{N}]\p{M}*/gu;

/** A text without case and optional marks. */
export function fold(text: string): string {
  if (/^[ -~\n]*$/.test(text)) return text.toLowerCase();
  return (
    text
      .toWellFormed()
      // Sorting combining marks takes time with the square of their number, and no letter has so many.
      .replaceAll(/(\p{M}{30})\p{M}+/gu, '$1')
      .normalize('NFD')
      .replaceAll(optionalMarks, '')
      .normalize('NFC')
      .slice(0, searchedLength)
      .toLowerCase()
      // The same letter at the end of a word.
      .replaceAll('ς', 'σ')
  );
}

/**
 * The words of a text, without case and optional marks, in order; a run of Chinese, Japanese or Thai is one
 * word. Posts and search terms go through this one function, so that both engines find the same. After a
 * change here a migration empties the index, and a start fills it.
 */
export function wordsOf(text: string): string[] {
  return fold(text.slice(0, searchedLength)).match(wordForm) ?? [];
}

/** Only this many words of a search term count. */
const mostSearchWords = 12;

/** The words of a search term. */
export function searchWords(term: string): string[] {
  return [...new Set(wordsOf(term))].slice(0, mostSearchWords);
}

/** A word's token in the index; a searched word needs all of its tokens. */
type Token = {
  text: string;
  /**
   * Whether it matches whole words, beginnings, or either: what people type may be the beginning of a word.
   */
  match: 'whole' | 'beginning' | 'either';
};

/**
 * The tokens of a searched word. In a run without spaces each pair of neighbouring letters is a token, so
 * that it is found anywhere in a longer run.
 */
export function tokensOf(word: string): Token[] {
  if (!isUnspaced.test(word)) return [{ text: word, match: 'either' }];
  const pairs = pairsOf(lettersOf(word));
  if (pairs.length === 0) return [{ text: word, match: 'beginning' }];
  return pairs.map(text => ({ text, match: 'whole' }));
}

/** The tokens by which a word of a post is found. */
export function indexedTokens(word: string): string[] {
  if (!isUnspaced.test(word)) return [word];
  const letters = lettersOf(word);
  // A single letter is found by the pair that it begins; the last one begins none.
  return [...pairsOf(letters), letters.at(-1) ?? ''];
}

const lettersOf = (word: string): string[] => word.match(letterForm) ?? [];

const pairsOf = (letters: readonly string[]): string[] =>
  letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);

/** A range of a text in UTF-16 units. `word` is the index of the matching word. */
export type Span = { start: number; end: number; word: number };

/** The ranges of a text, in order, in which one of these words, or a word that begins with it, occurs. */
export function* spansOf(text: string, words: readonly string[]): Generator<Span> {
  const runs = words.map(word => (isUnspaced.test(word) ? lettersOf(word) : undefined));
  for (const { 0: written, index } of text.slice(0, searchedLength).matchAll(wordForm)) {
    if (isUnspaced.test(written)) yield* spansInRun(written, index, runs);
    else {
      const folded = fold(written);
      const word = words.findIndex((one, at) => runs[at] === undefined && folded.startsWith(one));
      if (word >= 0) yield { start: index, end: index + written.length, word };
    }
  }
}

function* spansInRun(
  written: string,
  offset: number,
  runs: readonly (readonly string[] | undefined)[],
): Generator<Span> {
  const letters = [...written.matchAll(letterForm)];
  const folded = letters.map(([letter]) => fold(letter));
  for (let at = 0; at < letters.length; at += 1) {
    const word = runs.findIndex(run => run?.every((letter, index) => folded[at + index] === letter));
    const run = runs[word];
    const last = letters[at + (run?.length ?? 0) - 1];
    if (run === undefined || last === undefined) continue;
    yield { start: offset + (letters[at]?.index ?? 0), end: offset + last.index + last[0].length, word };
    at += run.length - 1;
  }
}
