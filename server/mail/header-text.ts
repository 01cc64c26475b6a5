import { cutAtWord } from '../../contract/text.ts';

/** More than any mail program shows of a subject or a name. */
const maxCharacters = 200;

/**
 * Words of people as a header carries them: on one line, in their own direction, and read as they stand. Mail
 * programs decode `=?utf-8?q?...?=` (RFC 2047), which may hold any of what is removed here.
 */
export function headerText(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    // Overrides, embeddings and isolates turn around what follows them.
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll('=?', '= ?');
  return cutAtWord(line.trim(), maxCharacters);
}
