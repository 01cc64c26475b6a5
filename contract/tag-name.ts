import { oneLine } from './text.ts';

/** A tag's name as it is kept: NFC, trimmed, one space between words (decisions.md 4). */
export function tagName(written: string): string {
  return oneLine(written.normalize('NFC'));
}

/** The key of a tag, which is the same for all its spellings. */
export function tagKey(written: string): string {
  return tagName(written).toLowerCase();
}
