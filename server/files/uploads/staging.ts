import { createHash } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import { createId } from '../../base/id.ts';
import type { Config } from '../../config.ts';
import { write } from '../store/disk.ts';
import type { Chunks } from '../store/store.ts';
import { quotaExceeded } from './quota.ts';

/**
 * Bytes that a request or a job works on lie in a file of their own in the data folder until it is done. What
 * has to outlive it, the parts of an unfinished upload among it, lies in the store of files, where every
 * process finds it.
 */
type DataDir = Pick<Config, 'dataDir'>;

/** Bytes that lie in the data folder: where, how many, and their SHA-256 as they came, base64url. */
export type Staged = { path: string; size: number; digest: string };

/** Where a file lies in the data folder, by default under a new name. */
export const stagedPath = ({ dataDir }: DataDir, name = createId()) => join(dataDir, 'uploads', name);

/**
 * Writes the incoming bytes to a new file, which is removed at the end of the scope that declares it with
 * `await using`. Throws out-of-range as soon as there are more than `maxBytes`, and resource-exhausted when
 * the disk is full; then nothing is left.
 */
export async function stage(path: string, body: Chunks, maxBytes: number): Promise<Staged & AsyncDisposable> {
  const remove = async () => await rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  try {
    return { path, ...(await writeTo(path, body, maxBytes)), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function writeTo(path: string, body: Chunks, maxBytes: number): Promise<Omit<Staged, 'path'>> {
  await using handle = await open(path, 'wx');
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of body) {
    if (size + chunk.length > maxBytes) throw new AppError('out-of-range', 'This file is too large.');
    hash.update(chunk);
    await inRoom(() => write(handle, chunk, size));
    size += chunk.length;
  }
  return { size, digest: hash.digest('base64url') };
}

/** What writes to the disk. Throws resource-exhausted where it has no room. */
export async function inRoom<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isDiskFull =
      error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
    throw isDiskFull ? quotaExceeded() : error;
  }
}
