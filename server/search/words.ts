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

const mostSearchWords = 12;

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

/** How far before a match letters are looked at: folding may have changed their length. UTF-16 units. */
const lookBack = 1_000;

/** A passage that cuts no word: a number of characters, and the rest of the last word. */
const passageForm = /[\s\S]{1,2000}[\p{L}\p{N}\p{M}]*/gu;

/** The ranges of a text, in order, in which one of these words, or a word that begins with it, occurs. */
export function* spansOf(text: string, words: readonly string[]): Generator<Span> {
  for (const { 0: passage, index } of text.slice(0, searchedLength).matchAll(passageForm)) {
    // Folding a passage takes a tenth of the time of folding each of its words.
    const folded = fold(passage);
    if (words.some(word => folded.includes(word))) yield* spansIn(passage, index, words);
  }
}

function* spansIn(passage: string, offset: number, words: readonly string[]): Generator<Span> {
  const runs = words.map(word => (isUnspaced.test(word) ? lettersOf(word) : undefined));
  const hasRuns = runs.some(run => run !== undefined);
  for (const { 0: written, index } of passage.matchAll(wordForm)) {
    const start = offset + index;
    if (isUnspaced.test(written)) {
      if (hasRuns) yield* spansInRun(written, start, runs);
    } else {
      const folded = fold(written);
      const word = words.findIndex((one, at) => runs[at] === undefined && folded.startsWith(one));
      if (word >= 0) yield { start, end: start + written.length, word };
    }
  }
}

function* spansInRun(
  written: string,
  offset: number,
  runs: readonly (readonly string[] | undefined)[],
): Generator<Span> {
  const letters = lettersFrom(written, runs);
  const longest = Math.max(...runs.map(run => run?.length ?? 0));
  const ahead: Letter[] = [];
  for (;;) {
    while (ahead.length < longest) {
      const { value, done } = letters.next();
      if (done) break;
      ahead.push(value);
    }
    const [first] = ahead;
    if (first === undefined) return;
    const word = runs.findIndex(run => run?.every((letter, index) => ahead[index]?.folded === letter));
    const length = runs[word]?.length ?? 1;
    const last = ahead[length - 1];
    if (word >= 0 && last !== undefined) yield { start: offset + first.start, end: offset + last.end, word };
    ahead.splice(0, length);
  }
}

type Letter = { folded: string; start: number; end: number };

/** The letters of a run, beginning before the first of the searched ones. */
function* lettersFrom(
  written: string,
  runs: readonly (readonly string[] | undefined)[],
): Generator<Letter, undefined> {
  const whole = fold(written);
  const places = runs.map(run => (run === undefined ? -1 : whole.indexOf(run.join(''))));
  const first = Math.min(...places.filter(place => place >= 0));
  if (first === Number.POSITIVE_INFINITY) return;
  const form = new RegExp(letterForm);
  // Folding mostly keeps the length of these scripts: then what comes before need not be looked at.
  if (whole.length === written.length) form.lastIndex = Math.max(0, first - lookBack);
  const known = new Map<string, string>();
  for (const { 0: letter, index } of written.matchAll(form)) {
    const folded = known.get(letter) ?? fold(letter);
    known.set(letter, folded);
    yield { folded, start: index, end: index + letter.length };
  }
}
