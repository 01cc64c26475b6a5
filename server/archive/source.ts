import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '../../contract/errors.ts';

/** Where the bytes of an archive come from; they are read several times. */
export type ArchiveSource = { name: string; open(): AsyncIterable<Uint8Array> };

/** An archive in a file. Throws not-found without one. */
export async function archiveFile(path: string): Promise<ArchiveSource> {
  const isFile = await stat(path).then(
    found => found.isFile(),
    () => false,
  );
  if (!isFile) throw new AppError('not-found', `There is no file ${path}.`);
  return { name: path, open: () => createReadStream(path, { highWaterMark: 256 * 1024 }) };
}
