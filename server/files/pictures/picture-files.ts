import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import { inRoom } from '../uploads/staging.ts';
import { jpegOfHeic } from './heic.ts';
import { inspectPicture, makeVariants, maxPictureBytes } from './pictures.ts';

/**
 * Writes a picture without the camera's metadata to another path, if it has any. Throws as `inspectPicture`,
 * and out-of-range if it is too large.
 */
export async function clearPicture(path: string, to: string, type: string) {
  const received = await readPicture(path);
  const { bytes, ...shown } = await inspectPicture(type, received);
  const isChanged = !bytes.equals(received);
  if (isChanged) await inRoom(() => writeFile(to, bytes));
  return { isChanged, ...shown };
}

/** Writes a HEIC picture as a JPEG to another path. Throws as {@link clearPicture} and `jpegOfHeic` do. */
export async function convertHeic(path: string, to: string): Promise<void> {
  const jpeg = await jpegOfHeic(await readPicture(path));
  await inRoom(() => writeFile(to, jpeg));
}

/** Writes the smaller sizes of a picture into a folder. */
export async function writeSizes(path: string, folder: string) {
  const sizes = [];
  for (const { bytes, ...size } of await makeVariants(await readFile(path))) {
    const made = { ...size, path: join(folder, String(size.width)) };
    await inRoom(() => writeFile(made.path, bytes));
    sizes.push(made);
  }
  return sizes;
}

async function readPicture(path: string): Promise<Buffer> {
  if ((await stat(path)).size > maxPictureBytes) {
    throw new AppError('out-of-range', `A picture has at most ${maxPictureBytes / 1024 / 1024} MB.`);
  }
  return await readFile(path);
}
