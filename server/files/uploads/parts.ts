import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { createId } from '../../base/id.ts';
import { dialectOf } from '../../db/dialect.ts';
import { isOutage } from '../../db/outage.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import { isMissingBytes } from '../store/missing-bytes.ts';
import type { FileStore } from '../store/store.ts';
import { requireQuota } from './quota.ts';
import { type Staged, stage, stagedPath } from './staging.ts';
import type { FileContext } from './write.ts';

/** Only a faulty program sends more parts: the SDK sends at least 256 KiB at a time. */
const maxParts = 10_000;

/**
 * Adds bytes that begin at `at` to an upload. Bytes that others have added since are skipped, so two clients
 * that send the same at once make one file. The bytes are in the store before the row says so; a crash in
 * between leaves bytes that the sweep removes. Throws not-found for an upload that has ended.
 */
export async function addPart(
  context: FileContext,
  uploadId: string,
  at: number,
  staged: Staged,
): Promise<void> {
  const { config, files, clock } = context;
  const key = createId();
  if (staged.size > 0) await files.put(key, staged.path);
  let isAdded = false;
  try {
    await inTransaction(context, async trx => {
      const { received, file_id } = await lockUpload(trx, uploadId);
      const skip = received - at;
      isAdded = file_id === null && skip < staged.size;
      const touched = trx.updateTable('upload_sessions').where('id', '=', uploadId);
      if (!isAdded) {
        await touched.set({ touched_at: clock() }).execute();
        return;
      }
      const size = staged.size - skip;
      await refuseMany(trx, uploadId);
      await requireQuota({ db: trx, config }, size);
      await trx
        .insertInto('upload_parts')
        .values({ upload_id: uploadId, start: received, size, skip, key, digest: staged.digest })
        .execute();
      await touched.set({ received: received + size, touched_at: clock() }).execute();
    });
  } catch (error) {
    // If the connection broke during the commit, the row may exist: the sweep decides about the bytes.
    if (!isOutage(error)) await files.remove(key);
    throw error;
  }
  if (!isAdded && staged.size > 0) await files.remove(key);
}

/** An upload, locked against other additions until the transaction ends. Throws not-found. */
export async function lockUpload(trx: Kysely<Tables>, id: string) {
  const upload = await dialectOf(trx)
    .forUpdate(trx.selectFrom('upload_sessions').select(['received', 'file_id']).where('id', '=', id))
    .executeTakeFirst();
  if (upload === undefined) throw new AppError('not-found', 'Upload not found.');
  return upload;
}

async function refuseMany(trx: Kysely<Tables>, uploadId: string): Promise<void> {
  const last = await trx
    .selectFrom('upload_parts')
    .select('start')
    .where('upload_id', '=', uploadId)
    .orderBy('start')
    .offset(maxParts - 1)
    .limit(1)
    .executeTakeFirst();
  if (last !== undefined) throw new AppError('resource-exhausted', 'This upload came in too many parts.');
}

/**
 * Joins the parts of an upload in a staged file ({@link stage}). Each is compared with the digest from its
 * arrival. Throws aborted if one is missing or has changed.
 */
export async function joinParts(
  { db, config, files }: Pick<FileContext, 'db' | 'config' | 'files'>,
  uploadId: string,
): Promise<Staged & AsyncDisposable> {
  const parts = await db
    .selectFrom('upload_parts')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .orderBy('start')
    .execute();
  const whole = async function* () {
    let position = 0;
    for (const part of parts) {
      if (part.start !== position) throw damagedUpload(`Bytes are missing at ${position}.`);
      yield* bytesAfter(part.skip, bytesOf(files, part));
      position += part.size;
    }
  };
  const maxBytes = parts.reduce((sum, { size }) => sum + size, 0);
  return await stage(stagedPath(config), whole(), maxBytes);
}

export async function* bytesAfter(
  skip: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left = skip;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

async function* bytesOf(
  files: FileStore,
  { key, skip, size, digest }: { key: string; skip: number; size: number; digest: string },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let read = 0;
  try {
    for await (const chunk of files.read(key)) {
      hash.update(chunk);
      read += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw isMissingBytes(error) ? damagedUpload(`The bytes of part ${key} are gone.`) : error;
  }
  if (read !== skip + size || hash.digest('base64url') !== digest) {
    throw damagedUpload(`The bytes of part ${key} are not those that came.`);
  }
}

/**
 * Deletes the parts of an upload, within a transaction. Returns the keys of bytes that nothing refers to any
 * more.
 */
export async function forgetParts(trx: Kysely<Tables>, uploadId: string): Promise<string[]> {
  const parts = await trx
    .deleteFrom('upload_parts')
    .where('upload_id', '=', uploadId)
    .returning('key')
    .execute();
  return parts.map(part => part.key);
}

/** The error for stored parts that differ from what was sent. Its cause is for the log. */
export function damagedUpload(reason: string): AppError {
  const message = 'The bytes of this upload were damaged on the server. Please upload the file again.';
  return Object.assign(new AppError('aborted', message), { cause: new Error(reason) });
}
