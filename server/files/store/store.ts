import { resolve } from 'node:path';
import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import { FolderMarker } from '../../db/folder-marker.ts';
import type { Tables } from '../../db/tables.ts';
import { anyFolder, folderStore } from './folder-store.ts';

/** The first and the last byte wanted, both included. */
export type ByteRange = { start: number; end: number };

/**
 * The store of files' bytes. Keys are ours: no part of one comes from a person, and the bytes under a key
 * never change.
 */
export type FileStore = {
  /**
   * Stores the finished file at `path`, which stays. On return the bytes are durable and complete under
   * `key`.
   */
  put(key: string, path: string): Promise<void>;
  /** Like `put`, for many: they are durable and complete once all are stored, not before. */
  putMany(files: Iterable<{ key: string; path: string }>): Promise<void>;
  /**
   * The bytes, or a part of them. Reading begins with the first request for a chunk. A chunk is valid only
   * until the next is requested: its memory is reused. The first request throws not-found
   * ({@link isMissingBytes}).
   */
  read(key: string, range?: ByteRange): AsyncGenerator<Uint8Array>;
  /** The number of bytes; undefined if there are none under this key. */
  size(key: string): Promise<number | undefined>;
  /** Removes the bytes, if they exist. */
  remove(key: string): Promise<void>;
  /** Throws {@link ConfigError} if the store rejects its settings, an outage if it cannot be reached. */
  check(): Promise<void>;
  /** Every key with the time at which it was stored, in milliseconds. */
  list(): AsyncIterable<{ key: string; storedAt: number }>;
};

/** Bytes, in one chunk or several. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Copies each chunk, for a reader that reads ahead: {@link FileStore.read} reuses the memory of a chunk. */
export async function* copies(chunks: Chunks): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}

/** All bytes of something small. Throws not-found if there are none. */
export async function readWhole(files: FileStore, key: string, range?: ByteRange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of files.read(key, range)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

type Placed = Pick<Config, 'filesUrl' | 'dataDir'>;

/** The folder of the files; undefined if they are in an S3-compatible store. */
export function filesFolder({ filesUrl, dataDir }: Placed): string | undefined {
  return filesUrl === undefined ? resolve(dataDir, 'files') : undefined;
}

/**
 * The store in the settings: an S3-compatible one, or a folder in the data folder. With the site's database
 * it refuses a folder other than the one that the site has marked; without one (null), as in a restore, it
 * accepts any.
 */
export async function openFileStore(
  { filesUrl, dataDir }: Placed,
  db: Kysely<Tables> | null,
): Promise<FileStore> {
  if (filesUrl === undefined) {
    const path = resolve(dataDir, 'files');
    if (db === null) return folderStore(path, anyFolder);
    const marker = new FolderMarker(db, { kind: 'files', path });
    return folderStore(path, () => marker.require());
  }
  // Amazon's SDK is large: a site with files in a folder never loads it.
  const { s3Store } = await import('./s3-store.ts');
  return s3Store(filesUrl);
}
