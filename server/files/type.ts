/** What a browser may show in place: pictures that cannot hold anything that runs (decisions.md 23). */
export const inlineTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

export const svgType = 'image/svg+xml';
const unknownType = 'application/octet-stream';

/** The media type that a file's first bytes tell, whatever its name says. */
export function typeOfBytes(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 4_096));
  const ascii = head.toString('latin1');
  if (ascii.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (ascii.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(ascii)) return 'image/gif';
  if (/^RIFF[\s\S]{4}WEBP/.test(ascii)) return 'image/webp';
  if (isAvif(head)) return 'image/avif';
  const media = mediaTypeOf(head, ascii);
  if (media !== undefined) return media;
  return isSvg(head.toString('utf8')) ? svgType : unknownType;
}

/** Video and audio as people upload them: MP4 and its relatives, WebM, MP3. */
function mediaTypeOf(head: Buffer, ascii: string): string | undefined {
  if (ascii.slice(4, 8) === 'ftyp') {
    const brand = ascii.slice(8, 12);
    if (brand === 'M4A ') return 'audio/mp4';
    return brand === 'qt  ' ? 'video/quicktime' : 'video/mp4';
  }
  if (head.length > 4 && head.readUInt32BE(0) === 0x1a45dfa3) return 'video/webm';
  return ascii.startsWith('ID3') ? 'audio/mpeg' : undefined;
}

/** The first box of the file names its brands: the main one, a version, then the compatible ones. */
function isAvif(head: Buffer): boolean {
  if (head.length < 16 || head.toString('latin1', 4, 8) !== 'ftyp') return false;
  const brands = head.toString('latin1', 8, Math.min(head.readUInt32BE(0), head.length));
  return /^(?:[\s\S]{4})*?avi[fs]/.test(brands);
}

function isSvg(text: string): boolean {
  const withoutProlog = text.replace(
    /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!DOCTYPE\s+svg[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*/i,
    '',
  );
  return /^<svg[\s>]/i.test(withoutProlog);
}
