import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Viewer } from '../access/viewer.ts';
import { accountOf } from '../access/viewer.ts';
import type { Config } from '../config.ts';
import { isOutage } from '../db/outage.ts';
import type { FileRow, Tables, UploadSessionRow } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { createId } from '../id.ts';
import { type OwnMetadata, parseMetadata } from './metadata.ts';
import { authorizeUpload } from './read.ts';
import { appendStaged, cutStaged, removeStaged, stagedSize } from './staging.ts';
import { admitFile, type FileWriting, usedBytes } from './write.ts';

export type Uploading = FileWriting & {
  config: Pick<Config, 'dataDir' | 'filesQuotaBytes' | 'maxFileBytes'>;
};

/** What is to be stored, as declared before a byte has come. `size` in bytes, null when not declared. */
export type Declared = { path: string; type: string | null; size: number | null; metadata: OwnMetadata };

/** A body that can be cut off when a newer request takes its place. */
export type Body = AsyncIterable<Uint8Array> & { destroy(error?: Error): unknown };

/** Unfinished uploads of one account at a time; more are a program gone wrong. */
const maxOpenSessions = 100;

/** The step under way of each session: a later one cuts off its body, then waits for it. One per process. */
const running = new Map<string, { body: Body | undefined; done: Promise<unknown> }>();

/**
 * Stores a file whose bytes come in one request. Throws as {@link admitFile}, and out-of-range, resource-exhausted.
 */
export async function uploadAtOnce(
  uploading: Uploading,
  viewer: Viewer,
  declared: Declared,
  body: AsyncIterable<Uint8Array>,
): Promise<FileRow> {
  await refuse(uploading, viewer, declared.size);
  const id = createId();
  try {
    await appendStaged(uploading.config, id, body, { maxBytes: uploading.config.maxFileBytes });
    return await admitFile(uploading, id, { ...declared, uploaderId: accountOf(viewer).id });
  } finally {
    await removeStaged(uploading.config, id);
  }
}

/** Begins an upload in several steps. Returns its id, which is no credential: every step asks who comes. */
export async function startUpload(uploading: Uploading, viewer: Viewer, declared: Declared): Promise<string> {
  await refuse(uploading, viewer, declared.size);
  const userId = accountOf(viewer).id;
  const id = createId();
  const { path, type, size, metadata } = declared;
  await inTransaction(uploading, async trx => {
    const { count } = await trx
      .selectFrom('upload_sessions')
      .select(eb => eb.fn.countAll<string | number>().as('count'))
      .where('user_id', '=', userId)
      .where('file_id', 'is', null)
      .executeTakeFirstOrThrow();
    if (Number(count) >= maxOpenSessions) {
      throw new AppError('resource-exhausted', 'You have too many unfinished uploads.');
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
        touched_at: uploading.clock(),
      })
      .execute();
  });
  return id;
}

/** Where an upload stands: bytes received, and the file once it is finished. */
export async function queryUpload(
  uploading: Uploading,
  viewer: Viewer,
  id: string,
): Promise<{ received: number; file: FileRow | undefined }> {
  const session = await openSession(uploading, viewer, id);
  return await alone(id, undefined, async () => await statusOf(uploading, session.id));
}

/**
 * Takes bytes at an offset. Those that have come before are dropped, so a step whose answer was lost can be repeated;
 * an offset beyond what has come is refused. With `isLast` the upload is finished and its file returned, the same again
 * for a repeated step.
 */
export async function continueUpload(
  uploading: Uploading,
  viewer: Viewer,
  id: string,
  { offset, body, isLast }: { offset: number; body: Body | undefined; isLast: boolean },
): Promise<FileRow | undefined> {
  const { id: _, ...session } = await openSession(uploading, viewer, id);
  const { config } = uploading;
  return await alone(id, body, async () => {
    const { received, file } = await statusOf(uploading, id);
    if (file !== undefined) return file;
    if (offset > received) {
      throw new AppError('failed-precondition', `Only ${received} bytes have come so far.`);
    }
    if (body !== undefined) {
      const maxBytes = Math.min(session.size ?? config.maxFileBytes, config.maxFileBytes);
      try {
        await appendStaged(config, id, body, { skip: received - offset, maxBytes });
      } finally {
        await touch(uploading, id).catch(async (error: unknown) => {
          // Whoever lost their rights while the bytes came adds nothing to an upload that may be gone on with.
          if (error instanceof AppError && !isOutage(error)) await cutStaged(config, id, received);
          throw error;
        });
      }
    }
    if (!isLast) return undefined;
    const size = await stagedSize(config, id);
    if (session.size !== null && size !== session.size) {
      throw new AppError('failed-precondition', `Expected ${session.size} bytes, received ${size}.`);
    }
    // An empty file has no staged bytes yet.
    if (size === 0) await appendStaged(config, id, nothing(), { maxBytes: 0 });
    return await finish(uploading, id, session);
  });
}

async function touch(uploading: Uploading, id: string): Promise<void> {
  await inTransaction(uploading, async trx => {
    await trx
      .updateTable('upload_sessions')
      .set({ touched_at: uploading.clock() })
      .where('id', '=', id)
      .execute();
  });
}

/** Ends an upload and forgets its bytes; a finished one stays as it is. */
export async function cancelUpload(uploading: Uploading, viewer: Viewer, id: string): Promise<void> {
  await openSession(uploading, viewer, id);
  await alone(id, undefined, async () => {
    await dropSessions(uploading, [id]);
  });
}

/** Forgets unfinished uploads: first the session, so that nothing more is taken, then the bytes. */
export async function dropSessions(
  { db, config }: Pick<Uploading, 'db' | 'config'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    await db.deleteFrom('upload_sessions').where('id', '=', id).where('file_id', 'is', null).execute();
    await removeStaged(config, id);
  }
}

async function finish(
  uploading: Uploading,
  id: string,
  session: Pick<UploadSessionRow, 'path' | 'type' | 'metadata' | 'user_id'>,
): Promise<FileRow> {
  const { db, config } = uploading;
  const { metadata } = parseMetadata(session.metadata);
  const declared = { path: session.path, type: session.type, metadata, uploaderId: session.user_id };
  const file = await admitFile(uploading, id, declared, async (trx, { id: fileId }) => {
    const { numUpdatedRows } = await trx
      .updateTable('upload_sessions')
      .set({ file_id: fileId })
      .where('id', '=', id)
      .where('file_id', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new AppError('aborted', 'This upload has ended meanwhile.');
  }).catch(async (error: unknown) => {
    // Sending it again would not help: the bytes themselves are refused.
    if (error instanceof AppError && error.code === 'invalid-argument') await dropSessions(uploading, [id]);
    throw error;
  });
  await removeStaged(config, id);
  return await db.selectFrom('files').selectAll().where('id', '=', file.id).executeTakeFirstOrThrow();
}

async function refuse({ db, config }: Uploading, viewer: Viewer, size: number | null): Promise<void> {
  authorizeUpload(viewer);
  if (size !== null && size > config.maxFileBytes) {
    throw new AppError('out-of-range', `A file has at most ${config.maxFileBytes / 1024 / 1024} MiB.`);
  }
  if ((await usedBytes(db)) + (size ?? 0) >= config.filesQuotaBytes) {
    throw new AppError('resource-exhausted', 'There is no room left for files.');
  }
}

/** The session, for who began it, as long as they may upload: one who may no longer loses it at once. */
async function openSession(uploading: Uploading, viewer: Viewer, id: string): Promise<UploadSessionRow> {
  const session = await uploading.db
    .selectFrom('upload_sessions')
    .innerJoin('users', 'users.id', 'upload_sessions.user_id')
    .selectAll('upload_sessions')
    .select('users.is_admin')
    .where('upload_sessions.id', '=', id)
    .executeTakeFirst();
  if (session !== undefined && !session.is_admin) await dropSessions(uploading, [id]);
  authorizeUpload(viewer);
  if (session === undefined) throw new AppError('not-found', 'There is no such upload.');
  if (session.user_id !== viewer.user?.id)
    throw new AppError('permission-denied', 'This upload is somebody else’s.');
  return session;
}

async function statusOf({ db, config }: { db: Kysely<Tables>; config: Uploading['config'] }, id: string) {
  const session = await db
    .selectFrom('upload_sessions')
    .select('file_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (session === undefined) throw new AppError('not-found', 'There is no such upload.');
  const file =
    session.file_id === null
      ? undefined
      : await db.selectFrom('files').selectAll().where('id', '=', session.file_id).executeTakeFirst();
  return { file, received: file?.size ?? (await stagedSize(config, id)) };
}

/**
 * Runs a step of a session when no other runs. The one before is cut off: whoever sends it has given it up, because a
 * client sends one step at a time, and what of it has come counts.
 */
async function alone<T>(id: string, body: Body | undefined, step: () => Promise<T>): Promise<T> {
  const before = running.get(id);
  const { promise, resolve } = Promise.withResolvers<void>();
  const mine = { body, done: promise };
  running.set(id, mine);
  try {
    before?.body?.destroy(new AppError('aborted', 'A newer step of this upload has come.'));
    await before?.done;
    return await step();
  } finally {
    resolve();
    if (running.get(id) === mine) running.delete(id);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
