/**
 * How a post was found when this migration was written: a copy of `search/words.ts` and `search/tokens.ts`.
 */

/** How much of a text is searched, before and after folding, in UTF-16 units. */
const searchedLength = 200_000;

/**
 * Marks that people write or leave out as they like: accents of Latin, Greek and Cyrillic letters, Hebrew
 * points, Arabic vowel signs and the stroke that stretches a word. Marks of other scripts (Devanagari, Thai,
 * kana) make a different word, so they are kept.
 */
const optionalMarks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+/g;

/** Scripts that put no spaces between their words. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u');
/** A run of an unspaced script, whatever its length, or a word, which is cut after 100 characters. */
const wordForm = new RegExp(
  String.raw`(?=[\p{L}\p{N}])[${unspaced}](?:(?=[\p{L}\p{N}\p{M}])[${unspaced}]|\p{M})*` +
    String.raw`|(?=[\p{L}\p{N}])[^${unspaced}](?:(?![${unspaced}])[\p{L}\p{N}\p{M}]){0,99}`,
  'gu',
);
const letterForm = /[\p{L}\p{N}]\p{M}*/gu;

/** A text without case and optional marks. */
function fold(text: string): string {
  if (/^[ -~\n]*$/.test(text)) return text.toLowerCase();
  return (
    text
      .toWellFormed()
      // Sorting marks takes time with the square of their number, and no letter has so many.
      .replaceAll(/(\p{M}{30})\p{M}+/gu, '$1')
      .normalize('NFD')
      .replaceAll(optionalMarks, '')
      .normalize('NFC')
      .slice(0, searchedLength)
      .toLowerCase()
      // At the end of a word the same letter.
      .replaceAll('ς', 'σ')
  );
}

function wordsOf(text: string): string[] {
  return fold(text.slice(0, searchedLength)).match(wordForm) ?? [];
}

function indexedTokens(word: string): string[] {
  if (!isUnspaced.test(word)) return [word];
  const letters = lettersOf(word);
  // A single letter is found by the pair that it begins; the last one begins none.
  return [...pairsOf(letters), letters.at(-1) ?? ''];
}

const lettersOf = (word: string): string[] => word.match(letterForm) ?? [];

const pairsOf = (letters: readonly string[]): string[] =>
  letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);

/** PostgreSQL holds at most 1 MiB of tokens of one post. */
const mostBytes = 1_000_000;

export function tokensOfPost({
  title,
  description,
  text,
  attachments,
  tagIds,
}: {
  title: string | null;
  description: string | null;
  text: string;
  attachments: readonly string[];
  tagIds: readonly string[];
}): string[] {
  const tokens = new Set(tagIds.map(tagToken));
  const add = (part: string, place = '') => {
    for (const word of wordsOf(part))
      for (const token of indexedTokens(word)) tokens.add(place + token).add(token);
  };
  add(title ?? '', '_');
  add(description ?? '', '-');
  add(attachments.join('\n'));
  add(text);
  let left = mostBytes;
  return [...tokens].filter(token => {
    left -= Buffer.byteLength(token);
    return left >= 0;
  });
}

/** The token of a tag, in hexadecimal digits: SQLite does not tell capital letters from small ones. */
const tagToken = (tagId: string) => `+${Buffer.from(tagId).toString('hex')}`;
