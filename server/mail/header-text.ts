import { cutAtWord } from '../../contract/text.ts';

/** More than any mail program shows of a subject or a name. */
const maxCharacters = 200;

/**
 * People's words for a header: on one line, in their own direction, and read literally. Mail programs decode
 * `=?utf-8?q?...?=` (RFC 2047), which may contain anything that is removed here.
 */
export function headerText(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    // Overrides, embeddings and isolates change the direction of what follows.
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll('=?', '= ?');
  return cutAtWord(line.trim(), maxCharacters);
}
