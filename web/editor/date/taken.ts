/**
 * When a photo was taken, by the clock of its camera: `2026-10-12T18:04:33`. Undefined for other files and
 * for photos that do not say.
 */
export async function takenAt(file: File): Promise<string | undefined> {
  if (!file.type.startsWith('image/')) return undefined;
  try {
    const { default: reader } = await import('exifreader');
    const { DateTimeOriginal: written } = await reader.load(await file.arrayBuffer(), {
      // The content policy refuses the parser of XMP.
      includeTags: { exif: ['DateTimeOriginal'] },
    });
    return clockTimeOf(written?.description ?? '');
  } catch {
    // It is only an offer; the server decides whether the file is a picture.
    return undefined;
  }
}

/**
 * A date of EXIF 2.32 (`2026:10:12 18:04:33`) in this form; undefined for an invalid one such as
 * `0000:00:00 00:00:00`.
 */
export function clockTimeOf(written: string): string | undefined {
  const parts = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(written);
  if (parts === null) return undefined;
  const [, year, month, day, time] = parts;
  const clock = `${year}-${month}-${day}T${time}`;
  return Number.isNaN(Date.parse(`${clock}Z`)) ? undefined : clock;
}
