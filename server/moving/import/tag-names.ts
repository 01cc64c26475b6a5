import { firstCharacters } from '../../../contract/text.ts';

/** The visible part of a name, for a tag. One or two dots, which no tag is named, are put in parentheses. */
export function visibleName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .normalize('NFC')
    .trim()
    .replace(/^\.{1,2}$/, '($&)');
}

/** The first characters of a name, without cutting one in half. */
export function cutName(name: string, max: number): string {
  return firstCharacters(name.toWellFormed().replaceAll('\uFFFD', ''), max).trim();
}
