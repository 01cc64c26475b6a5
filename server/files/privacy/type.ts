/** Pictures that are inspected, cleaned and served in several sizes. */
export const pictureTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** Types that a browser may show in place: nothing that could contain a script (decision 23). */
export const inlineTypes: ReadonlySet<string> = new Set([
  ...pictureTypes,
  'video/mp4',
  'video/webm',
  'video/ogg',
  'video/quicktime',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'audio/flac',
  'audio/aac',
  'audio/webm',
]);

/**
 * Pictures, videos and sounds from which hidden data cannot be removed here (decision 43). No browser
 * shows them.
 */
export const uncleanableTypes: ReadonlySet<string> = new Set([
  'image/tiff',
  'image/x-canon-cr3',
  'image/x-raw',
  'image/jxl',
  'image/jp2',
  'image/bpg',
  'image/vnd.adobe.photoshop',
  'image/x-xcf',
  'image/x-psp',
  'image/x-exr',
  'image/x-dpx',
  'image/fits',
  'image/vnd.radiance',
  'image/vnd.ms-photo',
  'image/x-miff',
  'image/x-mng',
  'image/x-ilbm',
  'image/flif',
  'image/dicom',
  'video/x-msvideo',
  'video/x-ms-asf',
  'video/x-flv',
  'video/mpeg',
  'video/mp2t',
  'audio/rf64',
]);

/** The format of phones; stored as a JPEG (pictures/heic.ts). */
export const heicType = 'image/heic';
export const svgType = 'image/svg+xml';
export const unknownType = 'application/octet-stream';

/** How much of a file's start {@link typeOfBytes} looks at, in bytes. */
export const headBytes = 4_096;

/**
 * What files start with, as latin1 text; if that is ambiguous, what else is near the start. Only types that
 * this site shows are recognised, and only by a file's first bytes: the package file-type looks past a byte
 * order mark or an ID3 tag, takes any `GIF` for a picture, and AVIF pictures of the brand mif1 for HEIF.
 */
const signatures: readonly (readonly [start: string, type: string, also?: RegExp])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF', 'image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['RIFF', 'audio/wav', /^RIFF[\s\S]{4}WAVE/],
  ['RIFF', 'video/x-msvideo', /^RIFF[\s\S]{4}AVI /],
  ['RF64', 'audio/rf64'],
  ['BW64', 'audio/rf64'],
  ['FORM', 'audio/aiff', /^FORM[\s\S]{4}AIF[FC]/],
  ['caff\0\x01', 'audio/x-caf'],
  ['OggS', 'video/ogg', /^[\s\S]{28}[\s\S]*?\x80theora/],
  ['OggS', 'audio/ogg'],
  ['\x1a\x45\xdf\xa3', 'video/webm', /^[\s\S]{4,64}webm/],
  ['\x1a\x45\xdf\xa3', 'video/x-matroska'],
  ['fLaC', 'audio/flac'],
  ['#!AMR', 'audio/amr'],
  ['ID3', 'audio/mpeg'],
  ['\xff', 'audio/aac', /^\xff[\xf1\xf9]/],
  ['\xff', 'audio/mpeg', /^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b\x08', 'application/gzip'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['II+\0', 'image/tiff'],
  ['MM\0+', 'image/tiff'],
  ['IIRO', 'image/x-raw'],
  ['IIRS', 'image/x-raw'],
  ['IIU\0', 'image/x-raw'],
  ['FUJIFILMCCD-RAW', 'image/x-raw'],
  ['FOVb', 'image/x-raw'],
  ['II\x1a\0\0\0HEAPCCDR', 'image/x-raw'],
  ['\x89LFP', 'image/x-raw'],
  ['', 'image/x-raw', /^[\s\S]{25}ARECOYK/],
  ['8BPS\0', 'image/vnd.adobe.photoshop'],
  ['gimp xcf ', 'image/x-xcf'],
  ['Paint Shop Pro Image File\n\x1a', 'image/x-psp'],
  ['v/1\x01', 'image/x-exr'],
  ['SDPX', 'image/x-dpx', /^[\s\S]{8}V[12]\.0/],
  ['XPDS', 'image/x-dpx', /^[\s\S]{8}V[12]\.0/],
  ['\x80\x2a\x5f\xd7', 'image/x-dpx'],
  ['SIMPLE  = ', 'image/fits', /^SIMPLE {2}= +[TF]/],
  ['#?RADIANCE\n', 'image/vnd.radiance'],
  ['#?RGBE\n', 'image/vnd.radiance'],
  ['II\xbc', 'image/vnd.ms-photo'],
  ['id=ImageMagick', 'image/x-miff'],
  ['\x8aMNG\r\n\x1a\n', 'image/x-mng'],
  ['\x8bJNG\r\n\x1a\n', 'image/x-mng'],
  ['FORM', 'image/x-ilbm', /^FORM[\s\S]{4}(?:ILBM|PBM )/],
  ['FLIF', 'image/flif', /^FLIF[134ACDQSTacd][012]/],
  ['', 'image/dicom', /^[\s\S]{128}DICM/],
  ['BPG\xfb', 'image/bpg'],
  ['\0MRM', 'image/x-raw'],
  ['\0\0\0\x0cJXL \r\n\x87\n', 'image/jxl'],
  ['\xff\x0a', 'image/jxl'],
  ['\0\0\0\x0cjP  \r\n\x87\n', 'image/jp2'],
  ['\xff\x4f\xff\x51', 'image/jp2'],
  ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'video/x-ms-asf'],
  ['FLV\x01', 'video/x-flv'],
  ['\0\0\x01\xba', 'video/mpeg'],
  ['G', 'video/mp2t', /^(?:G[\s\S]{187}){4}G/],
  ['', 'video/mp2t', /^[\s\S]{4}(?:G[\s\S]{191}){4}G/],
];

/**
 * Brands of files made of boxes (ISO base media), by content; all others are videos, whatever their maker
 * calls them.
 */
const brands: readonly (readonly [RegExp, string])[] = [
  [/^(?:[\s\S]{4})*?avi[fs]/, 'image/avif'],
  [/^(?:hei[cfmsx]|hev[cmsx]|mif\d|msf1|miaf|avc[is]|vvi[cs]|jpgs|jpeg)/, heicType],
  [/^crx /, 'image/x-canon-cr3'],
  [/^qt {2}/, 'video/quicktime'],
  [/^M4[ABP] /, 'audio/mp4'],
];
/**
 * How most videos without a brand begin; a text may contain one such word at this position. Others are
 * recognised by where their boxes lead (file-type.ts).
 */
const unbranded: readonly (readonly [RegExp, string])[] = [
  [/^(?:moov|mdat|wide|free|skip|pnot)$/, 'video/quicktime'],
  [/^(?:styp|sidx|moof)$/, 'video/mp4'],
];
/** No such box but the data is this long in bytes; four letters are a larger number. */
const maxFirstBox = 2 ** 26;

/** The media type told by a file's first bytes, whatever its name. */
export function typeOfBytes(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, headBytes));
  const ascii = head.toString('latin1');
  const signature = signatures.find(
    ([start, , also]) => ascii.startsWith(start) && (also?.test(ascii) ?? true),
  );
  const known = signature?.[1] ?? typeOfBoxes(head);
  if (known !== undefined) return known;
  return isSvg(head.toString('utf8')) ? svgType : unknownType;
}

/** Pictures that are recognised by their bytes. */
const toldPictures: ReadonlySet<string> = new Set([
  ...pictureTypes,
  svgType,
  heicType,
  'image/heif',
  'image/tiff',
]);

/** Whether a file was declared a picture of a recognisable type, although its bytes are not a picture. */
export function isFalsePicture(sniffed: string, declared: string | null): boolean {
  return toldPictures.has(nameOf(declared)) && !sniffed.startsWith('image/');
}

/** Bitmaps have no place for hidden data; the others are documents. */
const harmlessPictures = /^image\/(?:bmp|x-ms-bmp|x-bmp|vnd\.(?:dwg|dxf|djvu))/;

/** Whether a file of unknown type was declared a picture, of a kind that can hide data. */
export function isUnknownPicture(sniffed: string, declared: string | null): boolean {
  const said = nameOf(declared);
  return sniffed === unknownType && said.startsWith('image/') && !harmlessPictures.test(said);
}

/** Whether a file of unknown type was declared a video or a sound. */
export function isUnknownMedium(sniffed: string, declared: string | null): boolean {
  return sniffed === unknownType && /^(?:video|audio)\//.test(nameOf(declared));
}

/**
 * Whether a file declared a video or a sound is a text or notes of music (MIDI), in which no camera hides a
 * place: browsers declare TypeScript sources and playlists so.
 */
export function isTextOrMidi(head: Buffer): boolean {
  // Tabs, ends of lines and pages, and terminal colours.
  const isText = head.every(byte => byte >= 0x20 || [0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
  return isText || head.toString('latin1', 0, 8) === 'MThd\0\0\0\x06';
}

function nameOf(type: string | null): string {
  return type?.toLowerCase().split(';')[0]?.trim() ?? '';
}

/**
 * The type that a file is served with: the sniffed type; otherwise the declared one, if sniffing would not
 * have recognised it and no browser runs it.
 */
export function servedType(sniffed: string, declared: string | null): string {
  const said = nameOf(declared);
  // Office formats are zip archives: their content only matters to the program that opens it.
  if (sniffed === 'application/zip' && /^application\/(?:vnd\.|epub\+zip$)/.test(said)) return said;
  // A browser records a voice in the containers of videos.
  if (/^video\/(?:mp4|webm)$/.test(sniffed) && said === sniffed.replace('video', 'audio')) return said;
  if (sniffed !== unknownType) return sniffed;
  return isInert(said) ? said : unknownType;
}

function isInert(type: string): boolean {
  if (!/^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,99}$/.test(type) || inlineTypes.has(type)) return false;
  return (
    /^(?:text\/(?:plain|csv|markdown|calendar|vcard)|application\/(?:json|zip|gzip|x-[a-z0-9.-]+|vnd\.[a-z0-9.+-]+))$/.test(
      type,
    ) && !/xml|html|script|svg|flash/.test(type)
  );
}

/** The first box of most files names their brands: the main one, a version, then the compatible ones. */
function typeOfBoxes(head: Buffer): string | undefined {
  if (head.length < 8) return undefined;
  const first = head.toString('latin1', 4, 8);
  if (first !== 'ftyp') {
    const isLength = first === 'mdat' || head.readUInt32BE(0) < maxFirstBox;
    return isLength ? unbranded.find(([box]) => box.test(first))?.[1] : undefined;
  }
  const named = head.toString('latin1', 8, Math.min(head.readUInt32BE(0), head.length));
  return brands.find(([brand]) => brand.test(named))?.[1] ?? 'video/mp4';
}

function isSvg(text: string): boolean {
  const withoutProlog = text.replace(
    /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!DOCTYPE\s+svg[^>[]*(?:\[[^\]]*\]\s*)?>\s*)?(?:<!--[\s\S]*?-->\s*)*/i,
    '',
  );
  return /^<svg[\s>]/i.test(withoutProlog);
}
