import { decode } from '../../../markdown/raw-tag.ts';
import { inlineTags } from '../../../markdown/schema.ts';
import { composed } from '../composed.ts';
import { replaceEnclosed } from '../enclosed.ts';

/** In a script without spaces each character counts as a word. */
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{M}\p{N}])+/gu;

/** One in this many words may be lost without being reported. */
const lostOf = 100;

/**
 * Compares the words of an imported text with those of its source. Returns a sentence for the report if more
 * than one in a hundred is missing: a conversion does not know all code, cards and markup.
 */
export function lostWords(source: string, imported: string): string | undefined {
  const left = new Map<string, number>();
  for (const one of wordsOf(imported)) left.set(one, (left.get(one) ?? 0) + 1);
  let total = 0;
  let lost = 0;
  for (const one of wordsOf(source)) {
    total += 1;
    const count = left.get(one) ?? 0;
    if (count === 0) lost += 1;
    else left.set(one, count - 1);
  }
  if (lost * lostOf <= total) return undefined;
  return `${lost} of its ${total} words are missing here: compare it with the original`;
}

const wordsOf = (text: string) => composed(text).toLowerCase().match(word) ?? [];

/** The content of these is for programs. */
const unseen = {
  opening: /<!--|<(?<name>script|style|noscript|template|svg)\b(?:"[^"]*"|'[^']*'|[^"'<>])*>/gi,
  closing: /-->|<\/(?<name>script|style|noscript|template|svg)\s*>/gi,
};

export const withoutUnseen = (html: string) => replaceEnclosed(html, unseen, () => ' ');

const inline = new Set(['font', 'span', 'strike', 'tt', ...inlineTags.filter(name => name !== 'br')]);
const known = new Set(
  'address area article aside audio blockquote body br button canvas caption center col colgroup data datalist dd details dialog div dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe input label legend li link main map menu meta nav object ol optgroup option output p param picture pre progress rp rt ruby section select source summary table tbody td textarea tfoot th thead time title tr track ul video'.split(
    ' ',
  ),
);
const tag = /<\/?([a-z][a-z\d]*)(?:\s(?:"[^"]*"|'[^']*'|[^"'<>])*)?\/?>/gi;

/**
 * The words of HTML, without parsing it as the conversion does: everything outside of tags counts as words.
 */
export function wordsOfHtml(html: string): string {
  const text = withoutUnseen(html).replaceAll(tag, (whole, name: string) =>
    inline.has(name.toLowerCase()) ? '' : known.has(name.toLowerCase()) ? ' ' : whole,
  );
  return decode(text);
}
