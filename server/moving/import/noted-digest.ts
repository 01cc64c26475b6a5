import { digestOf } from '../../base/secrets.ts';
import type { DraftPost } from './draft.ts';

/** What `imported.digest` notes of a post. */
export type NotedDigest = {
  /** Of all that the source holds of it, by which an unchanged post is recognised. */
  whole: string;
  /** Whether the post keeps tags which its source has taken away, so that each run asks again. */
  isClosed: boolean;
  /** See {@link wordsDigest}; earlier versions did not note it. */
  words?: string | undefined;
};

/** A digest of what stays the same when a file is renamed. */
export function wordsDigest({ content, date, keepId }: DraftPost): string {
  return digestOf(JSON.stringify([content, date ?? null, keepId ?? null]));
}

const closed = 'closed';

/** As it is stored. */
export function writeDigest({ whole, isClosed, words }: NotedDigest): string {
  return [whole, ...(isClosed ? [closed] : []), ...(words === undefined ? [] : [words])].join(' ');
}

export function readDigest(stored: string): NotedDigest {
  const [whole = '', ...rest] = stored.split(' ');
  return { whole, isClosed: rest[0] === closed, words: rest.find(part => part !== closed) };
}
