import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../contract/errors.ts';
import { decodedPixels } from '../privacy/heif-items.ts';
import { unshowable } from '../privacy/refusals.ts';
import { DamagedPicture } from '../privacy/strip.ts';
import { decoder } from './decoder.ts';
import { inTurn } from './turn.ts';

/**
 * Decoding takes 8 bytes per pixel: 288 MB. An iPhone takes 24.5 million pixels, or 48.8 million on request.
 * libheif refuses a picture that declares fewer pixels than it holds before decoding it.
 */
const maxPixels = 36_000_000;
/** With what its last tiles hold beyond its edges. */
const maxDecodedPixels = 1.2 * maxPixels;
/** Many times what such a picture takes on a busy machine. Milliseconds. */
const limitMs = 90_000;
const quality = 88;

export type HeicRequest = { bytes: Uint8Array; maxPixels: number };
/** Undefined if it cannot be read. */
export type HeicAnswer =
  | { data: Uint8ClampedArray<ArrayBuffer>; width: number; height: number }
  | 'too large'
  | undefined;

/**
 * A HEIC picture, as phones take them, as a JPEG: upright, in its own colours, without any other data. Only
 * the JPEG is stored, because only one browser shows HEIC. It is decoded in a thread of its own, whose memory
 * is freed with it; one picture at a time. Throws permission-denied if it cannot be read, out-of-range for
 * too many pixels.
 */
export async function jpegOfHeic(bytes: Buffer): Promise<Buffer> {
  if (pixelsOf(bytes) > maxDecodedPixels) throw tooLarge();
  return await inTurn(async () => {
    const answer = await decoded({ bytes, maxPixels });
    if (answer === 'too large') throw tooLarge();
    if (answer === undefined) throw unshowable();
    const { data, width, height } = answer;
    const decode = await decoder();
    const jpeg = await decode(Buffer.from(data.buffer), { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .jpeg({ quality })
      .toBuffer();
    const profile = profileIn(bytes);
    return profile === undefined ? jpeg : withProfile(jpeg, profile);
  });
}

/** How many pixels are decoded for it. Throws as {@link jpegOfHeic}. */
function pixelsOf(bytes: Buffer): number {
  try {
    return decodedPixels(bytes);
  } catch (error) {
    throw error instanceof DamagedPicture ? unshowable() : error;
  }
}

function tooLarge(): AppError {
  return new AppError(
    'out-of-range',
    `This HEIC picture has more than ${maxPixels / 1_000_000} million pixels. Please save it as JPEG.`,
  );
}

/** The thread's answer; undefined if it ends without one, as when memory runs out. */
async function decoded(request: HeicRequest): Promise<HeicAnswer> {
  const { promise, resolve } = Promise.withResolvers<HeicAnswer>();
  const worker = new Worker(program, {
    workerData: request,
    // The package prints its complaints about a picture there.
    stdout: true,
  });
  worker.once('message', resolve);
  worker.once('error', () => resolve(undefined));
  worker.once('exit', () => resolve(undefined));
  const timer = setTimeout(() => resolve(undefined), limitMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** The colour profile of a HEIC picture: `colr` boxes hold one after the word `prof` (ISO 14496-12). */
function profileIn(bytes: Buffer): Buffer | undefined {
  const at = bytes.indexOf('colrprof', 0, 'latin1');
  if (at < 4) return undefined;
  const profile = bytes.subarray(at + 8, at - 4 + bytes.readUInt32BE(at - 4));
  const isProfile = profile.length >= 128 && profile.toString('latin1', 36, 40) === 'acsp';
  return isProfile && profile.length <= maxSegment ? profile : undefined;
}

const profileHead = Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1');
/** The most bytes of a profile in one segment of a JPEG. */
const maxSegment = 65_533 - profileHead.length;

/** A JPEG with a colour profile, as its first segment (ICC.1, B.4). */
function withProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe2, 0, 0]);
  head.writeUInt16BE(2 + profileHead.length + profile.length, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, profileHead, profile, jpeg.subarray(2)]);
}

/** This file's neighbour, both in the sources and in the bundle (scripts/build.ts). */
const program = new URL(`./heic-worker${extname(import.meta.url)}`, import.meta.url);
