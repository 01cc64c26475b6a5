import { createReadStream } from 'node:fs';
import { requireFile } from '../import/require-file.ts';
import { decrypt, type FileKey, type Keys, keyOfFile } from './encryption.ts';

/** The source of an archive's bytes, which are read several times. */
export type ArchiveSource = { name: string; open(): AsyncIterable<Uint8Array> };

/**
 * An archive in a file, encrypted or not. Throws not-found without one, and as {@link keyOfFile} if these
 * keys do not open it.
 */
export async function archiveFile(path: string, keys: Keys = {}): Promise<ArchiveSource> {
  await requireFile(path);
  return archiveWith(path, await keyOfFile(path, keys));
}

/** An archive that this process has written, with the key of the file if it is encrypted. */
export function archiveWith(path: string, key: FileKey | undefined): ArchiveSource {
  const read = () => createReadStream(path, { highWaterMark: 256 * 1024 });
  return { name: path, open: key === undefined ? read : () => decrypt(read(), key, path) };
}
