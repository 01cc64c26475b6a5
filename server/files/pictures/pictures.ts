import type { Metadata } from 'sharp';
import { AppError } from '../../../contract/errors.ts';
import { widthsBelow } from '../../../contract/files.ts';
import { ConfigError } from '../../base/config-error.ts';
import { stripAvif } from '../privacy/avif.ts';
import { decodedPixels } from '../privacy/heif-items.ts';
import { DamagedPicture, stripMetadata } from '../privacy/strip.ts';
import { decoder, maxPixels } from './decoder.ts';

/** A picture is read into memory to be cleaned, so it may not be as large as a video. Bytes. */
export const maxPictureBytes = 64 * 1024 * 1024;
/**
 * The most that decoding may take, counting the picture itself twice. With encoding, less than 300 MB. Bytes.
 */
const maxDecodingBytes = 240_000_000;
/** The most pixels of a WebP in height and width; a higher rendition is a JPEG. */
const maxWebpPixels = 16_383;
const maxFrames = 1_000;
const variantType = 'image/webp';
/** The most pixels of a picture that is kept in memory while its sizes are made. */
const maxHeldPixels = 12_000_000;
/** Of 6. Compared with the default 4, a photo of 12 megapixels takes 45 % of the time, and 2 % more bytes. */
const encodingEffort = 2;
/** For sizes wider than this, which take most of the time: a fifth less time for 10 % more bytes. */
const wideEffort = 1;
const widePixels = 960;

export const tooManyPixels = () => new AppError('out-of-range', 'This picture has too many pixels.');

export type Inspected = {
  bytes: Buffer;
  width: number;
  height: number;
  placeholder: string | null;
  /** False if smaller sizes would take too much memory or lose its colours: only the original is served. */
  hasSizes: boolean;
};

/**
 * A picture as it may be stored: without metadata, with its displayed size. Throws permission-denied for a
 * damaged picture, out-of-range for more pixels than can be shown.
 */
export async function inspectPicture(type: string, received: Buffer): Promise<Inspected> {
  try {
    if (type === 'image/avif') return await inspectAvif(received);
    const decode = await decoder();
    const found = await decode(received).metadata();
    const { width, height, pages = 1, orientation = 1 } = found;
    requireShowable(width * height, pages);
    let bytes = stripMetadata(type, received);
    const hasSizes = isDecodable(found, received);
    const isTurned = orientation >= 5 && (type !== 'image/webp' || pages === 1);
    if (type === 'image/webp' && orientation !== 1 && pages === 1) {
      if (!hasSizes) throw tooManyPixels();
      // Browsers ignore the orientation of a WebP, while its smaller sizes are upright, so it is rotated
      // once.
      const isLossless = bytes.includes('VP8L', 0, 'latin1');
      bytes = await decode(received)
        .autoOrient()
        .keepIccProfile()
        .webp({ lossless: isLossless, quality: 90 })
        .toBuffer();
    }
    const size = isTurned ? { width: height, height: width } : { width, height };
    return { bytes, ...size, hasSizes, placeholder: hasSizes ? await makePlaceholder(bytes, size) : null };
  } catch (error) {
    throw refusal(error);
  }
}

/**
 * Its size is read from its boxes: the decoder rejects animated files, and may report the size of a smaller
 * picture inside.
 */
async function inspectAvif(received: Buffer): Promise<Inspected> {
  const { bytes, width, height, isStandard } = stripAvif(received);
  requireShowable(width * height, 1);
  const decode = await decoder();
  const found = await decode(bytes)
    .metadata()
    .catch(() => undefined);
  const isLight = found !== undefined && isDecodable(found, bytes);
  const placeholder = isLight ? await makePlaceholder(bytes, { width, height }) : null;
  return { bytes, width, height, placeholder, hasSizes: isLight && isStandard };
}

function requireShowable(pixels: number, frames: number): void {
  if (pixels > maxPixels || frames > maxFrames) throw tooManyPixels();
}

function refusal(error: unknown): unknown {
  // A missing decoder is no fault of the picture.
  if (error instanceof AppError || error instanceof ConfigError) return error;
  if (error instanceof Error && /pixel limit/i.test(error.message)) return tooManyPixels();
  if (error instanceof DamagedPicture && error.isCut) return cutPicture();
  if (error instanceof DamagedPicture || error instanceof RangeError || isDecoderError(error))
    return damagedPicture();
  return error;
}

function cutPicture(): AppError {
  return new AppError(
    'permission-denied',
    'This picture is incomplete: its end is missing. Please upload it again.',
  );
}

/** Whether decoding a picture stays within the memory limit. Throws {@link DamagedPicture}. */
export function isDecodable(found: Metadata, file: Buffer): boolean {
  return decodingBytes(found, file) <= maxDecodingBytes;
}

/**
 * Peak bytes of decoding (measured, libvips 8.18): about 0 if sequential, the whole image if interlaced; for
 * other formats the needs of their library.
 */
function decodingBytes(
  { format, width, height, isProgressive, channels, depth, chromaSubsampling }: Metadata,
  file: Buffer,
) {
  const perPixel = () => {
    if (format === 'webp' || format === 'gif') return 9;
    if (!isProgressive) return 1;
    if (format === 'png') return 1.25 * channels * (depth === 'ushort' ? 2 : 1);
    // Coefficients of two bytes, for colours at a quarter or half of the positions.
    if (channels === 3 && chromaSubsampling === '4:2:0') return 3.5;
    return 2 * channels + 0.5;
  };
  const decoding = format === 'heif' ? 19 * decodedPixels(file) : perPixel() * width * height;
  return decoding + 2 * file.length;
}

/**
 * With the code for an unsupported file, which Firebase's SDK distinguishes from a fault (wire-protocols.md
 * 2.7).
 */
export function damagedPicture(): AppError {
  return new AppError(
    'permission-denied',
    'This picture is damaged or not of the type its name says. Please save it as JPEG or PNG.',
  );
}

/** A picture this small loads as fast as its placeholder would. Bytes. */
const smallPictureBytes = 8 * 1024;
const placeholderPixels = 16;

/**
 * A blurred preview of a picture as a data URL of some hundred bytes, shown until the picture has loaded.
 * Made before the picture is on any post, so that a saved text can contain it. Null for a small picture, and
 * for one that cannot be decoded, which is served unchanged. Throws {@link DamagedPicture} if a part of it is
 * missing.
 */
async function makePlaceholder(
  bytes: Buffer,
  { width, height }: { width: number; height: number },
): Promise<string | null> {
  if (bytes.length < smallPictureBytes) return null;
  const longer = Math.max(width, height);
  // Rounded up: a preview narrower than the picture would leave an edge bare.
  const across = Math.ceil((width * placeholderPixels) / longer);
  const down = Math.max(1, Math.floor((height * placeholderPixels) / longer));
  const decode = await decoder();
  const sized = decode(bytes).autoOrient().resize(across, down, { fit: 'fill' }).webp({ quality: 70 });
  const tiny = await sized.toBuffer().catch(error => {
    if (error instanceof Error && /premature end/i.test(error.message)) throw new DamagedPicture(true);
  });
  return tiny === undefined ? null : `data:${variantType};base64,${tiny.toString('base64')}`;
}

/** libvips reports every fault of a picture as a plain error. */
function isDecoderError(error: unknown): boolean {
  return error instanceof Error && !('code' in error);
}

type Size = { width: number; type: string; bytes: Buffer };

/**
 * The smaller sizes of a picture. None for an animated picture, whose sizes would be larger or stand still,
 * and none if decoding takes too much memory.
 */
export async function makeVariants(bytes: Buffer): Promise<Size[]> {
  const decode = await decoder();
  const found = await decode(bytes).metadata();
  if ((found.pages ?? 1) > 1 || !isDecodable(found, bytes)) return [];
  const { width, height } = found.autoOrient;
  const widths = widthsBelow(width).toReversed();
  const [largest = 0] = widths;
  const ratio = height / width;
  const isHeld = ratio * largest ** 2 <= maxHeldPixels;
  const made = isHeld ? await sizesOf(bytes, widths, ratio) : await sizesOneByOne(bytes, widths, ratio);
  // A drawing with few colours can grow; then the original is better.
  return made.filter(size => size.bytes.length < bytes.length).toReversed();
}

/** Each is encoded while the next one is made from it, which has fewer pixels to read than the picture. */
async function sizesOf(
  source: Buffer,
  [width, ...smaller]: readonly number[],
  ratio: number,
): Promise<Size[]> {
  if (width === undefined) return [];
  const pixels = smaller.length > 0 ? await decoded(source, width) : source;
  const [made, others] = await Promise.all([encoded(pixels, width, ratio), sizesOf(pixels, smaller, ratio)]);
  return [made, ...others];
}

async function sizesOneByOne(source: Buffer, widths: readonly number[], ratio: number): Promise<Size[]> {
  const made = [];
  for (const width of widths) made.push(await encoded(source, width, ratio));
  return made;
}

/** `ratio`: its height to its width. */
async function encoded(source: Buffer, width: number, ratio: number): Promise<Size> {
  const decode = await decoder();
  const sized = decode(source).autoOrient().resize(width).keepIccProfile();
  // JPEG has four times the height, and no transparency.
  if (ratio * width > maxWebpPixels) {
    const jpeg = sized.flatten({ background: '#fff' }).jpeg({ quality: 80 });
    return { width, type: 'image/jpeg', bytes: await jpeg.toBuffer() };
  }
  const effort = width > widePixels ? wideEffort : encodingEffort;
  return { width, type: variantType, bytes: await sized.webp({ quality: 76, effort }).toBuffer() };
}

/** A picture in this width, uncompressed, from which smaller ones are made faster. */
async function decoded(bytes: Buffer, width: number): Promise<Buffer> {
  const decode = await decoder();
  return await decode(bytes)
    .autoOrient()
    .resize(width)
    .keepIccProfile()
    .tiff({ compression: 'none' })
    .toBuffer();
}
