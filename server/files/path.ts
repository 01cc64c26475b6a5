import { AppError } from '../../contract/errors.ts';

/** As Google's storage has it, in bytes of UTF-8. */
const maxPathBytes = 1_024;

/**
 * Where programs and the editor store files (specification section 9). An import keeps the names that files
 * had.
 */
const uploadPrefix = 'posts/';
/** Where the browser stores what is to be imported. */
export const importPrefix = `${uploadPrefix}imports/`;

/**
 * As {@link checkPath}, for a file that is uploaded. Throws permission-denied for a name outside of `posts/`.
 */
export function checkUploadPath(path: string | undefined): string {
  const checked = checkPath(path);
  if (checked.startsWith(uploadPrefix)) return checked;
  throw new AppError('permission-denied', `Files are stored under ${uploadPrefix} only.`);
}

/**
 * The name of a file in the storage service. It names nothing on a disk; what would mean something there, or
 * nothing that can be seen, is refused all the same. Throws invalid-argument.
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
