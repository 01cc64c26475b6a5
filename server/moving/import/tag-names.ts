import { firstCharacters } from '../../../contract/text.ts';

/** What shows of a name, for a tag. */
export function visibleName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .normalize('NFC')
    .trim();
}

/** The first characters of a name, without half of one. */
export function cutName(name: string, max: number): string {
  return firstCharacters(name.toWellFormed().replaceAll('\uFFFD', ''), max).trim();
}
