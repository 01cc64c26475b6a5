import { mkdir, open, opendir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';

/**
 * Unfinished uploads lie in the data folder, each under the id of its session, also where finished files live in S3:
 * there a part must be larger than the chunks that come. Several servers need one data folder, or must send an upload
 * to the server that began it.
 */
type Staging = Pick<Config, 'dataDir'>;

const folderOf = ({ dataDir }: Staging) => join(dataDir, 'uploads');
export const stagedPath = (config: Staging, id: string) => join(folderOf(config), id);

/** Bytes that have come; 0 when none have. */
export async function stagedSize(config: Staging, id: string): Promise<number> {
  return (await stat(stagedPath(config, id)).catch(() => undefined))?.size ?? 0;
}

export async function removeStaged(config: Staging, id: string): Promise<void> {
  await rm(stagedPath(config, id), { force: true });
}

/** Forgets the bytes after the first `size`. */
export async function cutStaged(config: Staging, id: string, size: number): Promise<void> {
  await truncate(stagedPath(config, id), size);
}

/** Every unfinished file with the time of its last byte, in milliseconds. */
export async function* listStaged(config: Staging): AsyncGenerator<{ id: string; touchedAt: number }> {
  await mkdir(folderOf(config), { recursive: true });
  for await (const { name } of await opendir(folderOf(config))) {
    const found = await stat(stagedPath(config, name)).catch(() => undefined);
    if (found !== undefined) yield { id: name, touchedAt: found.mtimeMs };
  }
}

/**
 * Appends what comes, less the first `skip` bytes, which are there already. What has come stays, whatever happens to
 * the rest. Throws out-of-range as soon as the file would be larger than `maxBytes`, resource-exhausted when the disk
 * is full; whatever ends `body` early is thrown on.
 */
export async function appendStaged(
  config: Staging,
  id: string,
  body: AsyncIterable<Uint8Array>,
  { skip = 0, maxBytes }: { skip?: number; maxBytes: number },
): Promise<void> {
  await mkdir(folderOf(config), { recursive: true });
  const handle = await open(stagedPath(config, id), 'a');
  try {
    await inRoom(async () => {
      let size = (await handle.stat()).size;
      let left = skip;
      for await (const chunk of body) {
        const rest = left >= chunk.length ? chunk.subarray(chunk.length) : chunk.subarray(left);
        left -= chunk.length - rest.length;
        if (rest.length === 0) continue;
        size += rest.length;
        if (size > maxBytes) throw new AppError('out-of-range', 'This file is too large.');
        for (let written = 0; written < rest.length; ) {
          written += (await handle.write(rest, written)).bytesWritten;
        }
      }
      // What is acknowledged outlives a power cut.
      await handle.datasync();
    });
  } finally {
    await handle.close();
  }
}

/** What writes to the disk. Throws resource-exhausted where it has no room. */
export async function inRoom<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isDiskFull =
      error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
    throw isDiskFull ? new AppError('resource-exhausted', 'There is no room left for files.') : error;
  }
}
