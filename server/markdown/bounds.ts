import type { Nodes, Root } from 'mdast';
import { contentMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { withTimeLimit } from './time-limit.ts';

/** Levels that lists and quotes may nest. */
export const maxNesting = 30;

/** Milliseconds that any text may take on a busy machine, and what each of its characters adds: many times the usual. */
const freeMs = 15_000;
const msPerCharacter = 0.1;

/** How long the parsing or rendering of a text may take, in milliseconds: a minute and a half for the longest. */
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

/** Throws invalid-argument for lists and quotes inside of each other beyond {@link maxNesting}. */
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
 * Parses or renders a text, in place. Some shapes take a time that grows with the square of their length, and some
 * recurse for each level. Throws invalid-argument for what is not done in time, or too deep for the parser.
 */
export function inBounds<T>(milliseconds: number, code: () => T): T {
  const done = withTimeLimit(milliseconds, () => withoutOverflow(code));
  if (done === undefined) throw tooComplex();
  return done.value;
}

/** As `code`, but with a sentence for the author where its recursion finds no more room. */
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
