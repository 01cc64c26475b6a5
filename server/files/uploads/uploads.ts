import { AppError, type ErrorCode } from '../../../contract/errors.ts';
import { accountOf, isLessThan, roleOfUser, type Viewer } from '../../access/viewer.ts';
import { createId } from '../../base/id.ts';
import { countRows } from '../../db/count-rows.ts';
import type { FileRow, UploadSessionRow } from '../../db/tables.ts';
import { inTransaction, unguarded } from '../../db/transaction.ts';
import { type OwnMetadata, parseMetadata } from '../pictures/metadata.ts';
import { authorizeUpload } from '../read.ts';
import { largestFile } from './largest.ts';
import { addPart, bytesAfter, forgetParts, joinParts, lockUpload } from './parts.ts';
import { requireQuota } from './quota.ts';
import { stage, stagedPath } from './staging.ts';
import { type FileContext, finalizeUpload, storeStream, type UploadContext } from './write.ts';

/** The declaration of an upload before its first byte. `size` in bytes, null if not declared. */
export type Declared = { path: string; type: string | null; size: number | null; metadata: OwnMetadata };

/** Unfinished uploads of one account at a time; only a faulty program has more. */
const maxOpenSessions = 100;

/**
 * Stores a file whose bytes arrive in one request. Throws as {@link finalizeUpload}, and out-of-range,
 * resource-exhausted.
 */
export async function uploadAtOnce(
  context: UploadContext,
  viewer: Viewer,
  declared: Declared,
  body: AsyncIterable<Uint8Array>,
): Promise<FileRow> {
  await requireAdmissible(context, viewer, declared.size);
  const file = { ...declared, uploaderId: accountOf(viewer).id };
  return await storeStream(context, file, body, await largestFile(context));
}

/**
 * Begins an upload in several steps. Returns its id, which is no credential: every step checks its sender.
 */
export async function startUpload(
  context: UploadContext,
  viewer: Viewer,
  declared: Declared,
): Promise<string> {
  await requireAdmissible(context, viewer, declared.size);
  const userId = accountOf(viewer).id;
  const id = createId();
  const { path, type, size, metadata } = declared;
  await inTransaction(context, async trx => {
    const open = trx.selectFrom('upload_sessions').where('user_id', '=', userId).where('file_id', 'is', null);
    const count = await countRows(open);
    if (count >= maxOpenSessions) {
      throw new AppError(
        'resource-exhausted',
        'You have too many unfinished uploads. Finish or cancel some of them.',
      );
    }
    await trx
      .insertInto('upload_sessions')
      .values({
        id,
        user_id: userId,
        path,
        type,
        size,
        metadata: JSON.stringify(metadata),
        file_id: null,
        received: 0,
        touched_at: context.clock(),
      })
      .execute();
  });
  return id;
}

/** The state of an upload: bytes received, and the file once it is finished. */
export async function queryUpload(
  context: FileContext,
  viewer: Viewer,
  id: string,
): Promise<{ received: number; file: FileRow | undefined }> {
  const { received } = await openSession(context, viewer, id);
  return { received, file: await madeFile(context, id) };
}

/**
 * Receives bytes at an offset. Bytes received before are dropped, so a step whose answer was lost can be
 * repeated; an offset beyond the bytes received is refused. With `isLast` the upload is finished and its file
 * returned, the same again for a repeated step.
 */
export async function continueUpload(
  context: UploadContext,
  viewer: Viewer,
  id: string,
  { offset, body, isLast }: { offset: number; body: AsyncIterable<Uint8Array> | undefined; isLast: boolean },
): Promise<FileRow | undefined> {
  const session = await openSession(context, viewer, id);
  const file = await madeFile(context, id);
  if (file !== undefined) {
    // An answer before the end of a long body would be lost: the client still sends when the connection is
    // closed.
    if (body !== undefined) await readAway(body, await largestFile(context));
    return file;
  }
  if (offset > session.received) {
    throw new AppError('failed-precondition', `Only ${session.received} bytes have been received so far.`);
  }
  if (body !== undefined) await take(context, session, bytesAfter(session.received - offset, body));
  return isLast ? await finish(context, session) : undefined;
}

async function readAway(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new AppError('out-of-range', 'This file is too large.');
  }
}

/** Reads a body, even one that is cut off, and then throws the reason. */
async function take(
  context: UploadContext,
  { id, size, received }: UploadSessionRow,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  let cut: unknown;
  const untilCut = async function* () {
    try {
      yield* body;
    } catch (error) {
      cut = error;
    }
  };
  const largest = await largestFile(context);
  const maxBytes = Math.min(size ?? largest, largest) - received;
  await using staged = await stage(stagedPath(context.config), untilCut(), maxBytes);
  await addPart(context, id, received, staged).catch(error =>
    endRefused(context, id, error, ['resource-exhausted']),
  );
  if (cut !== undefined) throw cut;
}

/** Ends an upload and deletes its bytes; a finished one stays. */
export async function cancelUpload(context: FileContext, viewer: Viewer, id: string): Promise<void> {
  await openSession(context, viewer, id);
  await dropSessions(context, [id]);
}

/** Deletes unfinished uploads: first their rows, so that nothing more is accepted, then the bytes. */
export async function dropSessions(
  { db, files }: Pick<FileContext, 'db' | 'files'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const keys = await inTransaction({ db, ...unguarded }, async trx => {
      const upload = await lockUpload(trx, id).catch(whenOver);
      if (upload?.file_id !== null) return [];
      const forgotten = await forgetParts(trx, id);
      await trx.deleteFrom('upload_sessions').where('id', '=', id).execute();
      return forgotten;
    });
    for (const key of keys) await files.remove(key);
  }
}

function whenOver(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
}

/** Errors that end a completely received upload: sending it again would not help. */
const endsFinished = ['invalid-argument', 'permission-denied', 'aborted', 'resource-exhausted'] as const;

/**
 * Throws the error of an upload, and deletes the upload if the error is one of `codes`. After a refusal for
 * lack of space it would otherwise occupy space for a day.
 */
async function endRefused(
  context: FileContext,
  id: string,
  error: unknown,
  codes: readonly ErrorCode[],
): Promise<never> {
  if (error instanceof AppError && codes.includes(error.code)) await dropSessions(context, [id]);
  throw error;
}

/**
 * Makes the file of a completely received upload, or returns the one that another process has made meanwhile.
 */
async function finish(context: FileContext, session: UploadSessionRow): Promise<FileRow> {
  const { id, path, type, size } = session;
  const { metadata } = parseMetadata(session.metadata);
  let keys: string[] = [];
  let made: FileRow;
  try {
    await using staged = await joinParts(context, id);
    if (size !== null && staged.size !== size) {
      throw new AppError('failed-precondition', `Expected ${size} bytes, received ${staged.size}.`);
    }
    const declared = { path, type, metadata, uploaderId: session.user_id };
    made = await finalizeUpload(context, staged, declared, async (trx, { id: fileId }) => {
      const upload = await lockUpload(trx, id);
      if (upload.file_id !== null || upload.received !== staged.size) {
        throw new AppError('failed-precondition', 'This upload has changed in the meantime.');
      }
      keys = await forgetParts(trx, id);
      await trx.updateTable('upload_sessions').set({ file_id: fileId }).where('id', '=', id).execute();
    });
  } catch (error) {
    return (await madeFile(context, id)) ?? (await endRefused(context, id, error, endsFinished));
  }
  for (const key of keys) await context.files.remove(key);
  return made;
}

/**
 * Throws if this viewer may not upload (as {@link authorizeUpload}), out-of-range for a file that is too
 * large, resource-exhausted if there is no space for it.
 */
async function requireAdmissible(context: UploadContext, viewer: Viewer, size: number | null): Promise<void> {
  authorizeUpload(viewer);
  const largest = await largestFile(context);
  if (size !== null && size > largest) {
    throw new AppError('out-of-range', `A file has at most ${largest / 1024 / 1024} MB.`);
  }
  // An upload of unknown size needs space for at least one byte.
  await requireQuota(context, Math.max(size ?? 0, 1));
}

/**
 * The session, for the person who began it, as long as they may upload: without that right it ends
 * immediately.
 */
async function openSession(context: FileContext, viewer: Viewer, id: string): Promise<UploadSessionRow> {
  const session = await context.db
    .selectFrom('upload_sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  const isLost =
    session?.file_id === null && isLessThan(await roleOfUser(context.db, session.user_id), 'author');
  if (isLost) await dropSessions(context, [id]);
  authorizeUpload(viewer);
  if (session === undefined || isLost) throw new AppError('not-found', 'Upload not found.');
  if (session.user_id !== viewer.user?.id)
    throw new AppError('permission-denied', 'This upload belongs to somebody else.');
  return session;
}

async function madeFile({ db }: Pick<FileContext, 'db'>, id: string): Promise<FileRow | undefined> {
  return await db
    .selectFrom('upload_sessions')
    .innerJoin('files', 'files.id', 'upload_sessions.file_id')
    .selectAll('files')
    .where('upload_sessions.id', '=', id)
    .executeTakeFirst();
}
