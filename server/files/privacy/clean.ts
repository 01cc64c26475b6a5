import { rm } from 'node:fs/promises';
import { cleanInProcess, decode } from '../media/processes.ts';
import { digestsOf } from '../store/disk.ts';
import { pictureTypes, svgType } from './type.ts';

/**
 * Removes the metadata of cameras and programs from a picture, a video, a recording or a drawing. The cleaned
 * file is beside the staged one, which stays unchanged, because a repeated last step reads it again;
 * `cleaned` is undefined if there was nothing to remove. Undefined for other files. Throws as
 * `cleanInProcess`.
 */
export async function cleanMedium(staged: string, type: string, by: string | undefined) {
  if (!pictureTypes.has(type) && type !== svgType && !/^(?:video|audio)\//.test(type)) return undefined;
  const path = `${staged}.clean`;
  let isKept = false;
  try {
    const { isChanged, ...shown } = await cleanInProcess(by, staged, path, type);
    isKept = isChanged;
    return { ...shown, cleaned: isChanged ? { path, ...(await digestsOf(path)) } : undefined };
  } finally {
    if (!isKept) await rm(path, { force: true });
  }
}

/** A HEIC picture as a JPEG beside the staged file. Throws as `cleanInProcess`. */
export async function convertHeic(staged: string, by: string | undefined) {
  const path = `${staged}.jpg`;
  const remove = async () => await rm(path, { force: true });
  try {
    await decode(by, 'convertHeic', staged, path);
    return { path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
