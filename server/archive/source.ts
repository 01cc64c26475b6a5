import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '../../contract/errors.ts';
import { decrypt, isEncrypted, type Keys } from './encryption.ts';

/** Where the bytes of an archive come from; they are read several times. */
export type ArchiveSource = { name: string; open(): AsyncIterable<Uint8Array> };

/**
 * An archive in a file, encrypted or not. Throws not-found without one, and failed-precondition for one that takes a key
 * which is not among `keys`.
 */
export async function archiveFile(path: string, keys: Keys = {}): Promise<ArchiveSource> {
  const isFile = await stat(path).then(
    found => found.isFile(),
    () => false,
  );
  if (!isFile) throw new AppError('not-found', `There is no file ${path}.`);
  const read = () => createReadStream(path, { highWaterMark: 256 * 1024 });
  if (!(await isEncrypted(path, keys))) return { name: path, open: read };
  return { name: path, open: () => decrypt(read(), keys, path) };
}
