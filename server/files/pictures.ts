import type { Sharp } from 'sharp';
import { AppError } from '../../contract/errors.ts';
import { widthsBelow } from '../../contract/files.ts';
import { DamagedPicture, stripMetadata } from './strip.ts';

/** A smaller size of a picture. Its bytes lie beside the picture's, under {@link variantKey}. */
export type Variant = { width: number; type: string; size: number };

/** A picture is read as a whole to be cleaned, so it may not be as large as a video. Bytes. */
export const maxPictureBytes = 64 * 1024 * 1024;
/** Pixels of all frames together: what a phone of ten years from now may take, and no bomb. */
const maxPixels = 120_000_000;
/** Pixels of an AVIF that is encoded again to lose its metadata: so many take most of a gigabyte while that goes on. */
const maxEncodedPixels = 25_000_000;
const maxFrames = 1_000;
const decodeSeconds = 60;
const variantType = 'image/webp';

type Decoder = (bytes: Buffer, isAnimated?: boolean) => Sharp;
let loaded: Promise<Decoder> | undefined;

/** Loaded for the first picture: it takes 60 ms and 28 MB, and most runs of the program see none. */
function decoder(): Promise<Decoder> {
  loaded ??= loadDecoder();
  return loaded;
}

async function loadDecoder(): Promise<Decoder> {
  const { default: sharp } = await import('sharp');
  // Two requests must not wait for the sizes of one picture.
  sharp.concurrency(1);
  sharp.cache(false);
  return (bytes, animated = false) =>
    sharp(bytes, { animated, limitInputPixels: maxPixels, failOn: 'error' }).timeout({
      seconds: decodeSeconds,
    });
}

export type Inspected = { bytes: Buffer; width: number; height: number; placeholder: string | null };

/**
 * A picture as it may be stored: without its metadata, with its size as it is shown. Throws permission-denied for one
 * that is damaged, out-of-range for one with more pixels than can be shown.
 */
export async function inspectPicture(type: string, received: Buffer): Promise<Inspected> {
  const decode = await decoder();
  try {
    const {
      width,
      height,
      pages = 1,
      pageHeight,
      orientation = 1,
      ...found
    } = await decode(received, true).metadata();
    const frameHeight = pageHeight ?? height;
    if (width * frameHeight * pages > maxPixels || pages > maxFrames) {
      throw new AppError('out-of-range', 'This picture has too many pixels.');
    }
    const isEncodedAgain = type === 'image/avif' && (found.exif || found.xmp || found.iptc);
    if (isEncodedAgain && width * frameHeight > maxEncodedPixels) {
      throw new AppError(
        'out-of-range',
        'This AVIF picture has too many pixels. Please upload it as JPEG or WebP.',
      );
    }
    const bytes = isEncodedAgain
      ? await inTurn(() =>
          decode(received).autoOrient().keepIccProfile().avif({ quality: 75, effort: 2 }).toBuffer(),
        )
      : stripMetadata(type, received);
    const size = orientation >= 5 ? { width: frameHeight, height: width } : { width, height: frameHeight };
    return { bytes, ...size, placeholder: await makePlaceholder(bytes, size) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof Error && /pixel limit/i.test(error.message)) {
      throw new AppError('out-of-range', 'This picture has too many pixels.');
    }
    if (error instanceof DamagedPicture || isDecoderError(error)) {
      throw damagedPicture();
    }
    throw error;
  }
}

/** With the code of what a site does not take, which the SDK of Firebase tells from a fault (wire-protocols.md 2.7). */
export function damagedPicture(): AppError {
  return new AppError('permission-denied', 'This picture is damaged or not of the type its name says.');
}

/** A picture this small loads as fast as its placeholder would. Bytes. */
const smallPictureBytes = 8 * 1024;
const placeholderPixels = 16;

/**
 * A picture's colours at a glance, as a data URL of some hundred bytes: what readers see until it has loaded. Made before
 * the picture is on any post, so that a saved text can carry it. Null for a small picture, and for one that cannot be
 * decoded, which is served as it is.
 */
async function makePlaceholder(
  bytes: Buffer,
  { width, height }: { width: number; height: number },
): Promise<string | null> {
  if (bytes.length < smallPictureBytes) return null;
  const longer = Math.max(width, height);
  // Rather wider than the picture than narrower: as high as the picture, it leaves no edge bare.
  const across = Math.ceil((width * placeholderPixels) / longer);
  const down = Math.max(1, Math.floor((height * placeholderPixels) / longer));
  const decode = await decoder();
  const tiny = await inTurn(() =>
    decode(bytes).autoOrient().resize(across, down, { fit: 'fill' }).webp({ quality: 70 }).toBuffer(),
  ).catch(() => undefined);
  return tiny === undefined ? null : `data:${variantType};base64,${tiny.toString('base64')}`;
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** Runs one job at a time: decoded, a large picture takes hundreds of megabytes, and several may come at once. */
async function inTurn<T>(job: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(job);
  lastTurn = turn.catch(() => {});
  return await turn;
}

/** libvips reports every fault of a picture as a plain error: all that it throws is about the picture. */
function isDecoderError(error: unknown): boolean {
  return error instanceof Error && !('code' in error);
}

/** The smaller sizes of a picture. One that moves has none: they would be larger, or stand still. */
export async function makeVariants(bytes: Buffer): Promise<{ width: number; type: string; bytes: Buffer }[]> {
  const decode = await decoder();
  const { width, height, pages = 1, orientation = 1 } = await decode(bytes).metadata();
  const variants = [];
  for (const wanted of pages > 1 ? [] : widthsBelow(orientation >= 5 ? height : width)) {
    const made = await decode(bytes)
      .autoOrient()
      .resize(wanted)
      .keepIccProfile()
      .webp({ quality: 80 })
      .toBuffer();
    // A drawing with few colours can grow; then the picture itself is the better answer.
    if (made.length < bytes.length) variants.push({ width: wanted, type: variantType, bytes: made });
  }
  return variants;
}

export const variantKey = (id: string, width: number) => `${id}.${width}`;
