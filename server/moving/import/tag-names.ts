/** What shows of a name, for a tag. */
export function visibleName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .normalize('NFC')
    .trim();
}

/** The first characters of a name, in UTF-16 units, without half of one. */
export function cutName(name: string, max: number): string {
  return name.slice(0, max).toWellFormed().replaceAll('\uFFFD', '').trim();
}
