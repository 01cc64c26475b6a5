import { cutAtWord } from '../../../contract/text.ts';

const madeTitleCharacters = 60;
/**
 * How much of a text is read: it may be far too long for a post, and the search from each open bracket goes
 * to the end.
 */
const readCharacters = 2_000;

/** The first words of a text that is too long for a short post: a title that its author has not written. */
export function firstWords(content: string): string {
  const line = content
    .slice(0, readCharacters)
    .replaceAll(/<[^>]*>|!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[#>*_`[\]\\]/g, '')
    .trim()
    .split('\n')[0];
  return cutAtWord((line ?? '').trim(), madeTitleCharacters) || 'Untitled';
}

export const betweenCommas = (text: string) =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');

/** The words of a part of an address or of a file's name (`a-long_walk`), as a title. */
export function titleOfName(name: string): string {
  const words = name.replaceAll(/[-_\s]+/gu, ' ').trim() || 'Untitled';
  return words.charAt(0).toUpperCase() + words.slice(1);
}
