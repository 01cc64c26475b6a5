import { createHash } from 'node:crypto';

/** The form of every unique word; nothing else on a site has it. */
const shape = /zq[a-z]{8}q/g;

/** What each word stands for, to describe a leaked one. */
const uses = new Map<string, string>();

/**
 * The unique word for one use, such as `title of p3 at 17`: the same use is always the same word, so a
 * history that is played again holds the same ones. Lower case, and short enough for a username, a tag and a
 * password; without digits, which lists order as numbers.
 */
export function wordFor(use: string): string {
  const digest = createHash('sha256').update(use).digest();
  const letters = Array.from(digest.subarray(0, 8), byte => String.fromCharCode(97 + (byte % 26)));
  const word = `zq${letters.join('')}q`;
  uses.set(word, use);
  return word;
}

export function useOf(word: string): string {
  return uses.get(word) ?? 'unknown';
}

/** Every unique word in a text, also inside an address or a file's name. */
export function wordsIn(text: string): Set<string> {
  return new Set(text.match(shape));
}
