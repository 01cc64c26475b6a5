import { hash } from 'node:crypto';
import { constants, copyFile, readFile, rm, stat } from 'node:fs/promises';
import { AppError } from '../../../contract/errors.ts';
import { decode } from '../pictures/decode.ts';
import { maxPictureBytes } from '../pictures/pictures.ts';
import { digestsOf } from '../store/disk.ts';
import { inRoom, stage } from '../uploads/staging.ts';
import { clearAmr } from './amr.ts';
import { clearChunks } from './chunks.ts';
import { clearOgg } from './ogg.ts';
import { uncleanable } from './refusals.ts';
import { clearFlac, clearFrames } from './sound.ts';
import { clearSvg } from './svg.ts';
import { svgType } from './type.ts';
import { clearVideo } from './video.ts';
import { clearWebm } from './webm.ts';

/**
 * Removes the metadata of cameras and programs from videos, recordings and drawings; each returns whether
 * there was anything.
 */
const clearers: ReadonlyMap<string, (path: string) => Promise<boolean>> = new Map([
  ['video/mp4', clearVideo],
  ['video/quicktime', clearVideo],
  ['audio/mp4', clearVideo],
  ['video/webm', clearWebm],
  ['video/x-matroska', clearWebm],
  ['audio/webm', clearWebm],
  ['video/ogg', clearOgg],
  ['audio/ogg', clearOgg],
  ['audio/mpeg', clearFrames],
  ['audio/aac', clearFrames],
  ['audio/flac', clearFlac],
  ['audio/wav', clearChunks],
  ['audio/aiff', clearChunks],
  ['audio/x-caf', clearChunks],
  ['audio/amr', clearAmr],
  [svgType, clearSvg],
]);

/**
 * Removes the camera's metadata from a picture. The cleaned file is beside the staged one, which stays
 * unchanged, because a repeated last step reads it again. Throws out-of-range if it is too large.
 */
export async function cleanPicture(staged: string, type: string) {
  const received = await readPicture(staged);
  const { bytes, ...shown } = await decode('inspectPicture', type, received);
  const isClean = bytes.equals(received);
  const { path } = isClean ? { path: staged } : await stage(`${staged}.clean`, [bytes], bytes.length);
  return { path, ...shown, size: bytes.length, md5: hash('md5', bytes, 'base64') };
}

/** A HEIC picture as a JPEG beside the staged file. Throws as `cleanPicture` and `jpegOfHeic` do. */
export async function convertHeic(staged: string) {
  const jpeg = await decode('jpegOfHeic', await readPicture(staged));
  return await stage(`${staged}.jpg`, [jpeg], jpeg.length);
}

async function readPicture(staged: string): Promise<Buffer> {
  if ((await stat(staged)).size > maxPictureBytes) {
    throw new AppError('out-of-range', `A picture has at most ${maxPictureBytes / 1024 / 1024} MiB.`);
  }
  return await readFile(staged);
}

/**
 * Like `cleanPicture`, for a video, a recording or a drawing. Undefined if there is nothing to remove, and
 * for other files. Throws permission-denied for a kind from which hidden data cannot be removed here
 * (decisions.md 43).
 */
export async function cleanVideo(staged: string, type: string) {
  const clear = clearers.get(type);
  if (clear === undefined) {
    if (/^(?:video|audio)\//.test(type)) throw uncleanable();
    return undefined;
  }
  const path = `${staged}.clean`;
  let isChanged = false;
  try {
    await inRoom(() => copyFile(staged, path, constants.COPYFILE_FICLONE));
    isChanged = await inRoom(() => clear(path));
    return isChanged ? { path, ...(await digestsOf(path)) } : undefined;
  } finally {
    if (!isChanged) await rm(path, { force: true });
  }
}
