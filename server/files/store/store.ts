import { resolve } from 'node:path';
import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import { FolderMarker } from '../../db/folder-marker.ts';
import type { Tables } from '../../db/tables.ts';
import { anyFolder, folderStore } from './folder-store.ts';

/** The first and the last byte wanted, both included. */
export type ByteRange = { start: number; end: number };

/**
 * Where the bytes of files live. Keys are ours: nothing that a person named becomes part of one, and the
 * bytes under a key never change.
 */
export type FileStore = {
  /**
   * Stores the finished file that lies at `path`, which stays. On return the bytes are durable and whole
   * under `key`.
   */
  put(key: string, path: string): Promise<void>;
  /** As `put`, for many: they are durable and whole once all are stored, and not before. */
  putMany(files: Iterable<{ key: string; path: string }>): Promise<void>;
  /**
   * The bytes, or a part of them, from the moment that somebody asks for the first. A chunk holds them only
   * until the next is asked for: its memory is used again. The first throws not-found ({@link
   * isMissingBytes}).
   */
  read(key: string, range?: ByteRange): AsyncGenerator<Uint8Array>;
  /** How many bytes there are; undefined when there is nothing under this key. */
  size(key: string): Promise<number | undefined>;
  /** Removes the bytes, if they are there. */
  remove(key: string): Promise<void>;
  /**
   * Throws {@link ConfigError} where the store refuses what the settings say of it, an outage where it cannot
   * be reached.
   */
  check(): Promise<void>;
  /** Every key with the time, in milliseconds, at which it was stored. */
  list(): AsyncIterable<{ key: string; storedAt: number }>;
};

/** Bytes, in one chunk or several. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Copies each chunk, for a reader that reads ahead: {@link FileStore.read} uses the memory of a chunk again.
 */
export async function* copies(chunks: Chunks): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}

/** The bytes of something small as a whole. Throws not-found where there is none. */
export async function readWhole(files: FileStore, key: string, range?: ByteRange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of files.read(key, range)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

type Placed = Pick<Config, 'filesUrl' | 'dataDir'>;

/** The folder of the files; undefined where they are in an S3-compatible store. */
export function filesFolder({ filesUrl, dataDir }: Placed): string | undefined {
  return filesUrl === undefined ? resolve(dataDir, 'files') : undefined;
}

/**
 * The store that the settings name: an S3-compatible one, or a folder in the data folder. With the site's
 * database it refuses a folder that is not the one which the site has marked; without one (null), as in a
 * restore, it takes any.
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
  // Amazon's SDK is large: a site whose files lie in a folder never loads it.
  const { s3Store } = await import('./s3-store.ts');
  return s3Store(filesUrl);
}
