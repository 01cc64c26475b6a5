import { AppError } from '../../contract/errors.ts';

/** Google's limit, in bytes of UTF-8. */
const maxPathBytes = 1_024;

/** Where programs and the editor store files (specification section 9). Imported files keep their names. */
const uploadPrefix = 'posts/';
/** Where the browser stores files for an import. */
export const importPrefix = `${uploadPrefix}imports/`;

/** Like {@link checkPath}, for an uploaded file. Throws permission-denied for a name outside of `posts/`. */
export function checkUploadPath(path: string | undefined): string {
  const checked = checkPath(path);
  if (checked.startsWith(uploadPrefix)) return checked;
  throw new AppError('permission-denied', `Files are stored under ${uploadPrefix} only.`);
}

/**
 * Checks the name of a file in the storage service. It is not a path on disk; names that would have a meaning
 * there, or are invisible, are refused all the same. Throws invalid-argument.
 */
export function checkPath(path: string | undefined): string {
  const isUsable =
    path !== undefined &&
    path !== '' &&
    path.isWellFormed() &&
    Buffer.byteLength(path) <= maxPathBytes &&
    !/[\p{Cc}\p{Zl}\p{Zp}\\]/u.test(path) &&
    path.split('/').every(segment => segment !== '' && segment !== '.' && segment !== '..');
  if (!isUsable) throw new AppError('invalid-argument', 'This file name is not allowed.');
  return path;
}
