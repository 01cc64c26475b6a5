import { cutAtWord } from '../../contract/text.ts';

const madeTitleCharacters = 60;

/** For what is longer than a short post may be: a title that its author has not written. */
export function firstWords(content: string): string {
  const line = content
    .replaceAll(/<[^>]*>|!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[#>*_`[\]\\]/g, '')
    .trim()
    .split('\n')[0];
  return cutAtWord((line ?? '').trim(), madeTitleCharacters) || 'Untitled';
}
