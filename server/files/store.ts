import { join } from 'node:path';
import type { Config } from '../config.ts';
import { folderStore } from './folder-store.ts';

/** The first and the last byte wanted, both included. */
export type ByteRange = { start: number; end: number };

/**
 * Where the bytes of files live. Keys are ours: nothing that a person named becomes part of one, and the bytes under a
 * key never change.
 */
export type FileStore = {
  /** Stores the finished file that lies at `path`, which stays. On return the bytes are durable and whole under `key`. */
  put(key: string, path: string): Promise<void>;
  /** The bytes, or a part of them. Throws {@link MissingBytes}. */
  read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Removes the bytes, if they are there. */
  remove(key: string): Promise<void>;
  /** Every key with the time, in milliseconds, at which it was stored. */
  list(): AsyncIterable<{ key: string; storedAt: number }>;
};

/** The store that the settings name: an S3-compatible one, or a folder in the data folder. */
export async function openFileStore({
  filesUrl,
  dataDir,
}: Pick<Config, 'filesUrl' | 'dataDir'>): Promise<FileStore> {
  if (filesUrl === undefined) return folderStore(join(dataDir, 'files'));
  // Amazon's SDK is large: a site whose files lie in a folder never loads it.
  const { s3Store } = await import('./s3-store.ts');
  return s3Store(filesUrl);
}
