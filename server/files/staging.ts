import { createHash } from 'node:crypto';
import { mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';

/**
 * Bytes that a request or a job works on lie in a file of their own in the data folder until it is done. What has to
 * outlive it, the parts of an unfinished upload among it, lies in the store of files, where every process finds it.
 */
type DataDir = Pick<Config, 'dataDir'>;

/** Bytes that lie in the data folder: how many, and their SHA-256 as they came, base64url. */
export type Staged = { id: string; size: number; digest: string };

const folderOf = ({ dataDir }: DataDir) => join(dataDir, 'uploads');
export const stagedPath = (config: DataDir, id: string) => join(folderOf(config), id);

export async function removeStaged(config: DataDir, id: string): Promise<void> {
  await rm(stagedPath(config, id), { force: true });
}

/** Every staged file with the time of its last byte, in milliseconds. */
export async function* listStaged(config: DataDir): AsyncGenerator<{ id: string; touchedAt: number }> {
  await mkdir(folderOf(config), { recursive: true });
  for await (const { name } of await opendir(folderOf(config))) {
    const found = await stat(stagedPath(config, name)).catch(() => undefined);
    if (found !== undefined) yield { id: name, touchedAt: found.mtimeMs };
  }
}

/**
 * Writes the incoming bytes to a new file, less the first `skip` bytes. When `body` ends early, the bytes received so far are
 * there all the same, and `cut` is why it ended. Throws out-of-range as soon as there are more than `maxBytes`,
 * resource-exhausted when the disk is full; then the caller removes what there is.
 */
export async function stage(
  config: DataDir,
  id: string,
  body: AsyncIterable<Uint8Array>,
  { skip = 0, maxBytes }: { skip?: number; maxBytes: number },
): Promise<Staged & { cut: unknown }> {
  await mkdir(folderOf(config), { recursive: true });
  await using handle = await open(stagedPath(config, id), 'wx');
  const hash = createHash('sha256');
  let size = 0;
  let left = skip;
  let cut: unknown;
  const chunks = untilCut(body, error => {
    cut = error;
  });
  await inRoom(async () => {
    for await (const chunk of chunks) {
      const rest = left >= chunk.length ? chunk.subarray(chunk.length) : chunk.subarray(left);
      left -= chunk.length - rest.length;
      if (rest.length === 0) continue;
      if (size + rest.length > maxBytes) throw new AppError('out-of-range', 'This file is too large.');
      hash.update(rest);
      for (let written = 0; written < rest.length; ) {
        const { bytesWritten } = await handle.write(rest, written, rest.length - written, size + written);
        written += bytesWritten;
      }
      size += rest.length;
    }
  });
  return { id, size, digest: hash.digest('base64url'), cut };
}

async function* untilCut(
  body: AsyncIterable<Uint8Array>,
  onCut: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    onCut(error);
  }
}

/** What writes to the disk. Throws resource-exhausted where it has no room. */
export async function inRoom<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isDiskFull =
      error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
    throw isDiskFull ? new AppError('resource-exhausted', 'There is no space left for files.') : error;
  }
}
