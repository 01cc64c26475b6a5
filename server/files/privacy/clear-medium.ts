import { constants, copyFile } from 'node:fs/promises';
import { clearPicture } from '../pictures/picture-files.ts';
import { videoSize } from '../pictures/video-size.ts';
import { inRoom } from '../uploads/staging.ts';
import { clearAmr } from './amr.ts';
import { clearChunks } from './chunks.ts';
import { clearMp4 } from './mp4.ts';
import { clearOgg } from './ogg.ts';
import { uncleanable } from './refusals.ts';
import { clearFlac, clearFrames } from './sound.ts';
import { clearSvg } from './svg.ts';
import { pictureTypes, svgType } from './type.ts';
import { clearWebm } from './webm.ts';

/**
 * Removes the metadata of cameras and programs from videos, recordings and drawings; each returns whether
 * there was anything.
 */
const clearers: ReadonlyMap<string, (path: string) => Promise<boolean>> = new Map([
  ['video/mp4', clearMp4],
  ['video/quicktime', clearMp4],
  ['audio/mp4', clearMp4],
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

type Cleared = {
  isChanged: boolean;
  width?: number;
  height?: number;
  /** Of pictures only. */
  placeholder?: string | null;
  hasSizes?: boolean;
};

/**
 * Writes a picture, a video, a recording or a drawing without its metadata to another path; if `isChanged` is
 * false, there was none, and nothing of use is there. Returns its displayed size where it has one.
 *
 * Runs in a process of its own (media-process.ts), because a hostile file may take much time and memory.
 * Throws permission-denied for a kind from which hidden data cannot be removed here (decision 43), and
 * what its function throws.
 */
export async function clearMedium(path: string, to: string, type: string): Promise<Cleared> {
  if (pictureTypes.has(type)) return await clearPicture(path, to, type);
  const clear = clearers.get(type);
  if (clear === undefined) throw uncleanable();
  await inRoom(() => copyFile(path, to, constants.COPYFILE_FICLONE));
  const isChanged = await inRoom(() => clear(to));
  return { isChanged, ...(await videoSize(to, type)) };
}
