import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { Viewer } from '../../access/viewer.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { FileRow, Tables } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type OwnMetadata, parseMetadata } from '../pictures/metadata.ts';
import { typeOfFile } from '../privacy/file-type.ts';
import { servedType } from '../privacy/type.ts';
import { authorizeUpload, mayChange, notFound } from '../read.ts';
import { type FileStore, readWhole } from '../store/store.ts';
import { ownKey } from '../variant.ts';
import type { FileContext } from './write.ts';

/**
 * Changes the metadata of a file. Its served type still follows from its bytes, if they tell it. Throws
 * not-found, invalid-argument, and aborted if another file replaces it meanwhile.
 */
export async function updateFile(
  context: Pick<FileContext, 'db' | 'holdRights' | 'clock' | 'files'>,
  viewer: Viewer,
  path: string,
  json: string,
): Promise<FileRow> {
  authorizeUpload(viewer);
  const { db, clock, files } = context;
  const seen = await fileAt(db, path);
  if (!mayChange(viewer, seen)) throw notFound();
  const { contentType } = changed(seen, json);
  // Outside the transaction, which others may have to wait for: a store may be slow.
  const type = contentType === undefined ? undefined : await typeOf(files, seen, contentType);
  return await inTransaction(context, async trx => {
    const file = await fileAt(trx, path);
    if (file.id !== seen.id) throw new AppError('aborted', 'This file has been replaced in the meantime.');
    const { md5Hash: _, ...metadata } = changed(file, json).metadata;
    return await trx
      .updateTable('files')
      .set({
        type: type ?? file.type,
        metadata: JSON.stringify(metadata),
        metageneration: file.metageneration + 1,
        updated_at: clock(),
      })
      .where('id', '=', file.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

const changed = (file: FileRow, json: string) =>
  parseMetadata(json, JSON.parse(file.metadata) as OwnMetadata);

async function typeOf(files: FileStore, file: FileRow, declared: string | null) {
  const { size } = file;
  if (size === 0) return undefined;
  const read = (at: number, bytes: number) =>
    readWhole(files, ownKey(file), { start: at, end: Math.min(size, at + bytes) - 1 });
  return servedType(await typeOfFile({ size, read }), declared);
}

/** The file of this name; within a transaction, locked until the end. Throws not-found. */
async function fileAt(db: Kysely<Tables>, path: string): Promise<FileRow> {
  const query = db.selectFrom('files').selectAll().where('path', '=', path);
  const file = await (db.isTransaction ? dialectOf(db).forUpdate(query) : query).executeTakeFirst();
  if (file === undefined) throw notFound();
  return file;
}
