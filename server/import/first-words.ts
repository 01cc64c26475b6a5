import { cutAtWord } from '../../contract/text.ts';

const madeTitleCharacters = 60;
/** What is looked at of a text: it may be far too long for a post, and an open bracket is looked for to its end. */
const readCharacters = 2_000;

/** For what is longer than a short post may be: a title that its author has not written. */
export function firstWords(content: string): string {
  const line = content
    .slice(0, readCharacters)
    .replaceAll(/<[^>]*>|!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[#>*_`[\]\\]/g, '')
    .trim()
    .split('\n')[0];
  return cutAtWord((line ?? '').trim(), madeTitleCharacters) || 'Untitled';
}
