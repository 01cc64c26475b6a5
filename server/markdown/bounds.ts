import type { Nodes, Root } from 'mdast';
import { contentMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { withTimeLimit } from './time-limit.ts';
import { eachNode } from './walk.ts';

/** A text that is rendered in place, without a worker. */
export const shortCharacters = 5_000;

/** The deepest nesting of lists and quotes. */
export const maxNesting = 30;

/**
 * Milliseconds that any text may take on a busy machine, and those added per character: many times the usual.
 */
const freeMs = 15_000;
const msPerCharacter = 0.1;

/**
 * How long the parsing or rendering of a text may take, in milliseconds: a minute and a half for the longest.
 */
export function timeLimitOf(markdown: string): number {
  return freeMs + msPerCharacter * markdown.length;
}

/** Throws invalid-argument for a text that is longer than a post may be. */
export function refuseTooLong(markdown: string): void {
  if (markdown.length <= contentMaxCharacters) return;
  const most = contentMaxCharacters.toLocaleString('en-US');
  throw new AppError(
    'invalid-argument',
    `This text is longer than ${most} characters. Split it into several posts.`,
  );
}

/** The longest HTML of a text, in characters: half a million, and this many per character of the text. */
const freeHtml = 500_000;
const htmlPerCharacter = 8;

/** The most empty cells that tables may be filled up with. */
const maxFilledCells = 20_000;

/**
 * Throws invalid-argument for tables with many rows that are shorter than their head: GFM fills up each of
 * them, so 5,000 characters can be a million cells.
 */
export function refuseFilledTables(tree: Root): void {
  let filled = 0;
  eachNode(tree, node => {
    if (node.type !== 'table') return;
    const columns = node.children[0]?.children.length ?? 0;
    for (const row of node.children) filled += Math.max(0, columns - row.children.length);
  });
  if (filled > maxFilledCells) throw tooComplex();
}

/**
 * Whether HTML is far longer than its text, which every reader would load: each short reference to a long
 * address, for example, becomes a link with the whole address.
 */
export function isTooLarge(html: string, markdown: string): boolean {
  return html.length > freeHtml + htmlPerCharacter * markdown.length;
}

/** Throws invalid-argument for lists and quotes nested deeper than {@link maxNesting}. */
export function refuseTooDeep(tree: Root): void {
  const waiting: [node: Nodes, levels: number][] = [[tree, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, levels] = next;
    const inside = levels + (node.type === 'list' || node.type === 'blockquote' ? 1 : 0);
    if (inside > maxNesting) {
      throw new AppError(
        'invalid-argument',
        `Lists and quotes can be nested at most ${maxNesting} levels deep.`,
      );
    }
    if ('children' in node) for (const child of node.children) waiting.push([child, inside]);
  }
}

/**
 * Parses or renders a text, in place. Some shapes take time with the square of their length, and some recurse
 * for each level. Throws invalid-argument for a text that takes too long or is nested too deeply for the
 * parser. A short text needs no time limit: the worst takes a seventh of it, and each watchdog needs a
 * thread.
 */
export function inBounds<T>(text: string, code: () => T): T {
  if (text.length <= shortCharacters) return withoutOverflow(code);
  const done = withTimeLimit(timeLimitOf(text), () => withoutOverflow(code));
  if (done === undefined) throw tooComplex();
  return done.value;
}

/** Runs `code`; if its recursion is too deep, throws a sentence for the author. */
export function withoutOverflow<T>(code: () => T): T {
  try {
    return code();
  } catch (error) {
    throw error instanceof RangeError ? tooComplex() : error;
  }
}

export function tooComplex(): AppError {
  return new AppError(
    'invalid-argument',
    'This text is too complex to render. Simplify it or split it into several posts.',
  );
}
