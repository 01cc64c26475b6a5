import { oneLine } from './text.ts';

/** A tag's name as it is stored: NFC, trimmed, one space between words (decision 4). */
export function tagName(written: string): string {
  return oneLine(written.normalize('NFC'));
}

/** The key of a tag, which all spellings of its name share. */
export function tagKey(written: string): string {
  return tagName(written).toLowerCase();
}
