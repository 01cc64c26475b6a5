import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { FileRow, Tables } from '../db/tables.ts';
import { inTransaction, unguarded, type WriteContext } from '../db/transaction.ts';
import { authorizeUpload, mayChange, notFound } from './read.ts';
import { areDeletionsHeld } from './store/deletion-hold.ts';
import type { FileStore } from './store/store.ts';
import { keysOfFile, variantKey } from './variant.ts';

type RemovingContext = WriteContext & { files: FileStore };

/** Removes a file that is on no post. Throws not-found, and permission-denied for a file on a post. */
export async function deleteFile(context: RemovingContext, viewer: Viewer, path: string): Promise<void> {
  authorizeUpload(viewer);
  const removed = await inTransaction(context, async trx =>
    removeUncarried(trx, path, async file => {
      if (!mayChange(viewer, file)) throw notFound();
    }),
  );
  if (removed === undefined) throw notFound();
  await removeBytes(context, [removed]);
}

/**
 * The condition on `files` that the file is on no post. Not with `not in`: PostgreSQL would read the files of
 * all posts once for each file if they do not fit into its memory.
 */
export function isCarriedByNone({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'files'>) {
  const carriers = selectFrom('post_files').select('post_id').whereRef('post_files.file_id', '=', 'files.id');
  return not(exists(carriers));
}

/** Removes those of these files that are on no post: first their rows, then their bytes. */
export async function removeUnusedFiles(
  context: Pick<RemovingContext, 'db' | 'clock' | 'files'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const { db } = context;
  const removed = await inTransaction({ db, ...unguarded }, async trx => {
    const isMeant = dialectOf(trx).inList(sql.ref('id'), ids);
    // A save that uses one of them locks it until it commits; only a statement that begins afterwards sees
    // that.
    await dialectOf(trx)
      .forUpdate(trx.selectFrom('files').select('id').where(isMeant).orderBy('id'))
      .execute();
    return await trx
      .deleteFrom('files')
      .where(isMeant)
      .where(isCarriedByNone)
      .returning(['id', 'size', 'variants'])
      .execute();
  });
  await removeBytes(context, removed);
}

/**
 * Removes the row of the file at a path, unless `authorize` or a post with the file forbids it. Undefined if
 * there is none.
 */
export async function removeUncarried(
  trx: Kysely<Tables>,
  path: string,
  authorize: (file: FileRow) => Promise<void>,
): Promise<FileRow | undefined> {
  const file = await dialectOf(trx)
    .forUpdate(trx.selectFrom('files').selectAll().where('path', '=', path))
    .executeTakeFirst();
  if (file === undefined) return undefined;
  await authorize(file);
  const carried = await trx
    .selectFrom('post_files')
    .select('post_id')
    .where('file_id', '=', file.id)
    .limit(1)
    .executeTakeFirst();
  if (carried !== undefined) {
    throw new AppError('permission-denied', 'This file is used by a post. Remove it from the post first.');
  }
  await trx.deleteFrom('files').where('id', '=', file.id).execute();
  return file;
}

/**
 * Removes the bytes of files whose rows are deleted. Bytes that an export may still read are left for the
 * sweep.
 */
export async function removeBytes(
  context: Pick<RemovingContext, 'db' | 'clock' | 'files'>,
  removed: readonly Pick<FileRow, 'id' | 'size' | 'variants'>[],
): Promise<void> {
  if (removed.length === 0 || (await areDeletionsHeld(context))) return;
  for (const { key } of removed.flatMap(keysOfFile)) await context.files.remove(key);
  // The poster of a video is stored before its row says so.
  for (const { id, variants } of removed)
    if (variants === null) await context.files.remove(variantKey(id, 'poster'));
}
