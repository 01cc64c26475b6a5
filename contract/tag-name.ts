/** A tag's name as it is kept: NFC, trimmed, one space between words (decisions.md 4). */
export function tagName(written: string): string {
  return written.normalize('NFC').trim().replaceAll(/\s+/gu, ' ');
}

/** What makes a tag the same tag however it is written. */
export function tagKey(written: string): string {
  return tagName(written).toLowerCase();
}
