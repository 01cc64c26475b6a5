import { AppError } from '../../contract/errors.ts';

/** As Google's storage has it, in bytes of UTF-8. */
const maxPathBytes = 1_024;

/**
 * The name of a file in the storage service. It names nothing on a disk; what would mean something there, or nothing
 * that can be seen, is refused all the same. Throws invalid-argument.
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
