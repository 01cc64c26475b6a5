import { hash } from 'node:crypto';
import { constants, copyFile, readFile, rm, stat } from 'node:fs/promises';
import { AppError } from '../../../contract/errors.ts';
import { cleanApart, decode } from '../media/processes.ts';
import { maxPictureBytes } from '../pictures/pictures.ts';
import { digestsOf } from '../store/disk.ts';
import { inRoom, stage } from '../uploads/staging.ts';
import { svgType } from './type.ts';

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
 * Like `cleanPicture`, for a video, a recording or a drawing, with its displayed size where it has one;
 * `cleaned` is undefined if there was nothing to remove. Undefined for other files. Throws as `cleanApart`.
 */
export async function cleanMedium(staged: string, type: string) {
  if (type !== svgType && !/^(?:video|audio)\//.test(type)) return undefined;
  const path = `${staged}.clean`;
  let isChanged = false;
  try {
    await inRoom(() => copyFile(staged, path, constants.COPYFILE_FICLONE));
    const { shown, ...made } = await cleanApart(path, type);
    isChanged = made.isChanged;
    return { shown, cleaned: isChanged ? { path, ...(await digestsOf(path)) } : undefined };
  } finally {
    if (!isChanged) await rm(path, { force: true });
  }
}
