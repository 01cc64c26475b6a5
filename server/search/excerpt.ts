import { pageExcerpt } from '../../contract/constants.ts';
import type { Parts } from '../../contract/search.ts';
import { characterFrom, cutAtWord } from '../../contract/text.ts';
import { type Span, spansOf } from './words.ts';

export function markedText(text: string, words: readonly string[]): Parts {
  return partsOf(text, { start: 0, end: text.length }, [...spansOf(text, words)]);
}

/** How far before the first match the beginning of its sentence is looked for, in UTF-16 units. */
const before = 90;
/** Among this many matches the passage with the most different words is chosen. */
const consideredSpans = 200;

/** The sentence of a text with the most words, these marked; undefined if it has none of them. */
export function excerptOf(text: string, words: readonly string[]): Parts | undefined {
  const spans: Span[] = [];
  for (const span of spansOf(text, words)) {
    spans.push(span);
    if (spans.length === consideredSpans) break;
  }
  const best = densest(spans);
  if (best === undefined) return undefined;
  const start = sentenceStart(text, best.start);
  const end = start + cutAtWord(text.slice(start), pageExcerpt).replace(/…$/u, '').length;
  const parts = partsOf(text, { start, end: Math.max(end, best.end) }, spans);
  if (start > 0 && !/[.!?。！？…]\s*$/u.test(text.slice(0, start)))
    parts.unshift({ text: '…', isMarked: false });
  if (Math.max(end, best.end) < text.length) parts.push({ text: '…', isMarked: false });
  return parts;
}

export const beginningOf = (text: string): Parts => [{ text: cutAtWord(text, pageExcerpt), isMarked: false }];

/** The first match of the passage with the most different words. */
function densest(spans: readonly Span[]): Span | undefined {
  let best: Span | undefined;
  let most = 0;
  for (const [index, span] of spans.entries()) {
    const passage = spans
      .slice(index, index + 20)
      .filter(other => other.end <= span.start + pageExcerpt - before);
    const count = new Set(passage.map(other => other.word)).size;
    if (count > most) [best, most] = [span, count];
  }
  return best;
}

/** The beginning of the sentence around a match, or, if it is long, of a word shortly before it. */
function sentenceStart(text: string, place: number): number {
  const from = Math.max(0, place - before);
  const lead = text.slice(from, place);
  const ends = [...lead.matchAll(/[.!?…]["'”’)\]]*\s+|[。！？]/gu)];
  const last = ends.at(-1);
  if (last !== undefined) return from + last.index + last[0].length;
  if (from === 0) return 0;
  const space = lead.search(/\s/u);
  return space >= 0 ? from + space + 1 : characterFrom(text, from);
}

function partsOf(
  text: string,
  { start, end }: { start: number; end: number },
  spans: readonly Span[],
): Parts {
  const parts: Parts = [];
  const add = (from: number, to: number, isMarked: boolean) => {
    if (from < to) parts.push({ text: text.slice(from, to), isMarked });
  };
  let at = start;
  for (const span of spans) {
    if (span.start < at || span.end > end) continue;
    add(at, span.start, false);
    add(span.start, span.end, true);
    at = span.end;
  }
  add(at, end, false);
  return parts;
}
