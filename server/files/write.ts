import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { createId } from '../id.ts';
import { fileAddress, pathOfFile } from './read.ts';
import { typeOfBytes } from './type.ts';

export type FileWriting = { db: Kysely<Tables>; clock: Clock; config: Pick<Config, 'dataDir'> };
type NewFile = { name: string; bytes: Uint8Array; uploaderId: string | null };

/** What tells whether two files are the same: SHA-256 of the bytes, base64url. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/**
 * Stores a file and returns its id and its address. It is on no post yet. The bytes are whole and on the disk before the
 * row says that they exist.
 */
export async function storeFile(
  { db, clock, config }: FileWriting,
  { name, bytes, uploaderId }: NewFile,
): Promise<{ id: string; url: string; type: string }> {
  const id = createId();
  const type = typeOfBytes(bytes);
  await writeDurably(pathOfFile(config, id), bytes);
  await db
    .insertInto('files')
    .values({
      id,
      name,
      type,
      size: bytes.byteLength,
      digest: digestOf(bytes),
      uploader_id: uploaderId,
      created_at: clock(),
    })
    .execute();
  return { id, url: fileAddress(id), type };
}

/** Removes those of these files that no post carries: first their rows, then their bytes. */
export async function removeUnusedFiles({ db, config }: FileWriting, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const removed = await db
    .deleteFrom('files')
    .where(dialectOf(db).isOneOf(sql.ref('id'), ids))
    .where('id', 'not in', db.selectFrom('post_files').select('file_id'))
    .returning('id')
    .execute();
  for (const { id } of removed) await rm(pathOfFile(config, id), { force: true });
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const folder = join(path, '..');
  await mkdir(folder, { recursive: true });
  const unfinished = `${path}.unfinished`;
  try {
    const file = await open(unfinished, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  // The new name, too, must outlive a power cut.
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
