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
 * The bytes that a request or a job works on are in a file of their own in the data folder until it is done.
 * Data that must outlive it, such as the parts of an unfinished upload, are in the file store, where every
 * process finds them.
 */
type DataDir = Pick<Config, 'dataDir'>;

/** Bytes in the data folder: their path, their number, and their SHA-256 as received, base64url. */
export type Staged = { path: string; size: number; digest: string };

/** The path of a file in the data folder, by default under a new name. */
export const stagedPath = ({ dataDir }: DataDir, name = createId()) => join(dataDir, 'uploads', name);

/**
 * Writes the incoming bytes to a new file, which is removed at the end of the scope that declares it with
 * `await using`. Throws out-of-range as soon as there are more than `maxBytes`, and resource-exhausted if the
 * disk is full; then nothing is left.
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

/** Runs an action that writes to the disk. Throws resource-exhausted if the disk is full. */
export async function inRoom<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isDiskFull =
      error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
    throw isDiskFull ? quotaExceeded() : error;
  }
}
