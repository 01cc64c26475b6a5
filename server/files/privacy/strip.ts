import { crc32 } from 'node:zlib';

/**
 * A picture without the metadata of its camera and programs: place, time, owner, comments, previews. No pixel
 * changes. What is needed to show it stays: orientation, colour profile, animation. Data after the end of the
 * picture are removed, too. Throws {@link DamagedPicture}. AVIF: avif.ts.
 */
export function stripMetadata(type: string, bytes: Buffer): Buffer {
  try {
    if (type === 'image/jpeg') return stripJpeg(bytes);
    if (type === 'image/png') return stripPng(bytes);
    if (type === 'image/webp') return stripWebp(bytes);
    if (type === 'image/gif') return stripGif(bytes);
    return bytes;
  } catch (error) {
    // A read past the end: the picture is shorter than it claims.
    if (error instanceof RangeError) throw new DamagedPicture();
    throw error;
  }
}

/** No picture has more segments, chunks or blocks; reading them one by one blocks the process. */
const maxParts = 20_000;
/** Four times as many pieces of 255 bytes as the largest GIF may have. */
const maxPieces = 1_000_000;

/** Throws {@link DamagedPicture} when it is called more than `most` times. */
function counter(most: number): () => void {
  let left = most;
  return () => {
    left -= 1;
    if (left < 0) throw new DamagedPicture();
  };
}

export class DamagedPicture extends Error {
  override readonly name = 'DamagedPicture';
  /** `isCut`: whether its end is missing, as after an interrupted upload or copy. */
  readonly isCut: boolean;
  constructor(isCut = false) {
    super('This picture is damaged.');
    this.isCut = isCut;
  }
}

/**
 * Segments before, between and after the scans. Kept are those that decoding needs, the colour profile, and
 * Adobe's colour transform. Ends where the picture's own data do: phones append videos and second pictures.
 */
function stripJpeg(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 2)];
  const countPart = counter(maxParts);
  let orientation: number | undefined;
  for (let at = 2; ; ) {
    if (at + 2 > bytes.length) throw new DamagedPicture(true);
    if (bytes[at] !== 0xff) throw new DamagedPicture();
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    countPart();
    if (marker === 0xd9) {
      kept.push(bytes.subarray(at, at + 2));
      break;
    }
    let end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) throw new DamagedPicture(true);
    const segment = bytes.subarray(at, end);
    const body = segment.subarray(4);
    if (marker === 0xe1 && startsWith(body, 'Exif\0\0')) orientation ??= orientationOf(body.subarray(6));
    const needed = neededOf(marker, segment, body);
    if (needed !== undefined) kept.push(needed);
    if (marker === 0xda) {
      const start = end;
      end = endOfScan(bytes, end);
      kept.push(bytes.subarray(start, end));
    }
    at = end;
  }
  if (orientation !== undefined && orientation !== 1) kept.splice(1, 0, orientationSegment(orientation));
  return Buffer.concat(kept);
}

/**
 * The part of a segment that is needed to show the picture: undefined for descriptions, previews and unknown
 * ones.
 */
function neededOf(marker: number, segment: Buffer, body: Buffer): Buffer | undefined {
  const isOfDecoding = (marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xda && marker <= 0xdd);
  if (isOfDecoding || (marker === 0xe2 && startsWith(body, 'ICC_PROFILE\0'))) return segment;
  if (marker === 0xee && startsWith(body, 'Adobe')) return shortened(segment, 16);
  if (marker !== 0xe0 || !startsWith(body, 'JFIF\0')) return undefined;
  // A thumbnail may follow the resolution: of the picture as it was before it was cropped.
  const plain = shortened(segment, 18);
  if (plain.length === 18) plain.fill(0, 16);
  return plain;
}

function shortened(segment: Buffer, length: number): Buffer {
  const short = Buffer.from(segment.subarray(0, length));
  short.writeUInt16BE(short.length - 2, 2);
  return short;
}

/** The marker that follows the data of a scan. */
function endOfScan(bytes: Buffer, start: number): number {
  // Byte by byte: searching for each 0xff takes a hundred times longer if every second byte is one.
  for (let at = start; at + 1 < bytes.length; ) {
    const marker = bytes[at] === 0xff ? bytes[at + 1] : undefined;
    const isRestart = marker !== undefined && marker >= 0xd0 && marker <= 0xd7;
    if (marker === undefined || marker === 0xff) at += 1;
    else if (marker === 0 || isRestart) at += 2;
    else return at;
  }
  throw new DamagedPicture(true);
}

function orientationOf(tiff: Buffer): number {
  // A broken block of metadata is no reason to refuse a picture that is otherwise whole.
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number) =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entries = Math.min(u16(first), Math.floor((tiff.length - first - 2) / 12));
  for (let index = 0; index < entries; index += 1) {
    const entry = first + 2 + index * 12;
    if (u16(entry) === 0x0112) {
      const value = u16(entry + 8);
      return value >= 1 && value <= 8 ? value : 1;
    }
  }
  return 1;
}

/** An Exif block with only the orientation. */
function tiffOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

function orientationSegment(orientation: number): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiffOf(orientation)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

const pngNeeded =
  /^(?:IHDR|PLTE|IDAT|IEND|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|mDCV|cLLI|bKGD|hIST|pHYs|acTL|fcTL|fdAT)$/;

function stripPng(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 8)];
  const countPart = counter(maxParts);
  let hasOrientation = false;
  for (let at = 8; ; ) {
    countPart();
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new DamagedPicture();
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (pngNeeded.test(name)) kept.push(bytes.subarray(at, end));
    if (name === 'eXIf' && !hasOrientation) {
      hasOrientation = true;
      const orientation = orientationOf(bytes.subarray(at + 8, end - 4));
      if (orientation !== 1) kept.push(pngChunk('eXIf', tiffOf(orientation)));
    }
    if (name === 'IEND') return Buffer.concat(kept);
    at = end;
  }
}

function pngChunk(name: string, body: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + body.length);
  chunk.writeUInt32BE(body.length, 0);
  chunk.write(name, 4, 'latin1');
  body.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + body.length)), 8 + body.length);
  return chunk;
}

function stripWebp(bytes: Buffer): Buffer {
  const end = Math.min(bytes.length, 8 + bytes.readUInt32LE(4));
  const kept: Buffer[] = [];
  const countPart = counter(maxParts);
  for (let at = 12; at + 8 <= end; ) {
    countPart();
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const next = at + 8 + size + (size % 2);
    if (at + 8 + size > bytes.length) throw new DamagedPicture(true);
    let chunk = bytes.subarray(at, next);
    // Browsers ignore the Exif orientation here, so Exif is removed completely (pictures.ts).
    if (/^(?:VP8[ LX]|ALPH|ANIM|ANMF|ICCP)$/.test(name)) {
      if (name === 'VP8X') chunk = Buffer.from(chunk);
      kept.push(chunk);
    }
    at = next;
  }
  const extended = kept.find(chunk => startsWith(chunk, 'VP8X'));
  // The flags say which chunks exist: 8 for Exif, 4 for XMP.
  if (extended !== undefined) extended[8] = (extended[8] ?? 0) & ~0x0c;
  return webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...kept]));
}

function webpChunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/**
 * Blocks of a GIF: comments, plain text and unknown application blocks are removed; the one that repeats an
 * animation stays.
 */
function stripGif(bytes: Buffer): Buffer {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const countPart = counter(maxParts);
  const countPiece = counter(maxPieces);
  const afterBlocks = (from: number) => {
    let at = from;
    for (let size = bytes.readUInt8(at); size !== 0; size = bytes.readUInt8(at)) {
      countPiece();
      at += size + 1;
    }
    return at + 1;
  };
  let at = 13 + tableBytes(bytes.readUInt8(10));
  const kept = [bytes.subarray(0, at)];
  for (;;) {
    countPart();
    const start = at;
    const kind = bytes.readUInt8(at);
    if (kind === 0x3b) {
      kept.push(bytes.subarray(at, at + 1));
      return Buffer.concat(kept);
    }
    if (kind === 0x2c) {
      at = afterBlocks(at + 11 + tableBytes(bytes.readUInt8(at + 9)));
      kept.push(bytes.subarray(start, at));
    } else if (kind === 0x21) {
      const label = bytes.readUInt8(at + 1);
      at = afterBlocks(at + 2);
      const application = bytes.toString('latin1', start + 3, start + 14);
      const isRepeat = label === 0xff && /^(?:NETSCAPE2\.0|ANIMEXTS1\.0)$/.test(application);
      if (label === 0xf9 || isRepeat) kept.push(bytes.subarray(start, at));
    } else throw new DamagedPicture();
  }
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text;
}
