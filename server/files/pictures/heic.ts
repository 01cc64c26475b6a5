/// <reference path="./libheif-js.d.ts" />
import { AppError } from '../../../contract/errors.ts';
import { decodedPixels } from '../privacy/heif-items.ts';
import { unshowable } from '../privacy/refusals.ts';
import { DamagedPicture } from '../privacy/strip.ts';
import { decoder } from './decoder.ts';

/**
 * Decoding takes 8 bytes per pixel: 240 MB. An iPhone takes 24.5 million pixels, or 48.8 million on request.
 * libheif refuses a picture that declares fewer pixels than it holds before decoding it.
 */
const maxPixels = 30_000_000;
/** With what its last tiles hold beyond its edges. */
const maxDecodedPixels = 1.2 * maxPixels;
const quality = 88;

/**
 * A HEIC picture, as phones take them, as a JPEG: upright, in its own colours, without any other data. Only
 * the JPEG is stored, because only one browser shows HEIC. Throws permission-denied if it cannot be read,
 * out-of-range for too many pixels.
 */
export async function jpegOfHeic(bytes: Buffer): Promise<Buffer> {
  if (pixelsOf(bytes) > maxDecodedPixels) throw tooLarge();
  const { data, width, height, stride } = await decoded(bytes);
  const decode = await decoder();
  // The pixels stay in the memory of libheif. Optimised coding would hold the whole picture once more.
  const pixels = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const jpeg = await decode(pixels, { raw: { width: stride / 4, height, channels: 4 } })
    .extract({ left: 0, top: 0, width, height })
    .removeAlpha()
    .jpeg({ quality, optimiseCoding: false })
    .toBuffer();
  const profile = profileIn(bytes);
  return profile === undefined ? jpeg : withProfile(jpeg, profile);
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

/** Its size is checked before anything is decoded. */
async function decoded(bytes: Buffer) {
  // Loaded here: most pictures are of other kinds.
  const { default: libheif } = await import('libheif-js/wasm-bundle.js');
  await libheif.ready;
  const images = new libheif.HeifDecoder().decode(bytes);
  const image = images.find(one => one.is_primary()) ?? images[0];
  if (image === undefined) throw unshowable();
  if (image.get_width() * image.get_height() > maxPixels) throw tooLarge();
  const { heif_colorspace, heif_chroma, heif_js_decode_image2: decodeImage } = libheif;
  const { heif_colorspace_RGB: rgb } = heif_colorspace;
  const shown = await Promise.resolve(image.handle)
    .then(handle => decodeImage(handle, rgb, heif_chroma.heif_chroma_interleaved_RGBA))
    // A damaged picture may end the program of WebAssembly.
    .catch(() => undefined);
  const [pixels] = shown?.channels ?? [];
  if (pixels === undefined) throw unshowable();
  return pixels;
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
