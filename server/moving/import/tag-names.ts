import { firstCharacters } from '../../../contract/text.ts';
import { composed } from './composed.ts';

/** The visible part of a name, for a tag. One or two dots, which no tag is named, are put in parentheses. */
export function visibleName(name: string): string {
  return composed(name.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, ''))
    .trim()
    .replace(/^\.{1,2}$/, '($&)');
}

export function cutName(name: string, max: number): string {
  return firstCharacters(name.toWellFormed().replaceAll('\uFFFD', ''), max).trim();
}
