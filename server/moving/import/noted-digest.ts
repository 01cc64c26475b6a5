import { digestOf } from '../../base/secrets.ts';
import type { DraftPost } from './draft.ts';

export type NotedDigest = {
  /** Of all that the source has of it, by which an unchanged post is recognised. */
  whole: string;
  /** Whether the post keeps tags that its source has removed, so that each run asks again. */
  isClosed: boolean;
  /** See {@link wordsDigest}; earlier versions did not store it. */
  words?: string | undefined;
};

/** A digest of what does not change when a file is renamed. */
export function wordsDigest({ content, date, keepId }: DraftPost): string {
  return digestOf(JSON.stringify([content, date ?? null, keepId ?? null]));
}

const closed = 'closed';

/** Its stored form. */
export function writeDigest({ whole, isClosed, words }: NotedDigest): string {
  return [whole, ...(isClosed ? [closed] : []), ...(words === undefined ? [] : [words])].join(' ');
}

export function readDigest(stored: string): NotedDigest {
  const [whole = '', ...rest] = stored.split(' ');
  return { whole, isClosed: rest[0] === closed, words: rest.find(part => part !== closed) };
}
