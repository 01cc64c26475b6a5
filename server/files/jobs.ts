import { mkdir, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { isLessThan, roleOfUser } from '../access/viewer.ts';
import type { Job } from '../base/background.ts';
import { dayMs, hourMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { takeLease } from '../db/lease.ts';
import { inTransaction, unguarded } from '../db/transaction.ts';
import { isKey } from './address.ts';
import { importPrefix } from './path.ts';
import { makeVariants, type Variant, variantKey } from './pictures/pictures.ts';
import { isCarriedByNone, removeUnusedFiles } from './remove.ts';
import { areBytesKept } from './store/deletion-hold.ts';
import { removeAbandoned } from './store/disk.ts';
import { isMissingBytes } from './store/missing-bytes.ts';
import { readWhole } from './store/store.ts';
import { stage, stagedPath } from './uploads/staging.ts';
import { dropSessions } from './uploads/uploads.ts';
import type { FileContext } from './uploads/write.ts';

type JobContext = FileContext & { log: Logger };

/** An upload that nobody has continued for so long is abandoned. */
const abandonedMs = dayMs;
/** A file that no post carries is kept so long for a text that is still being written. */
const unusedMs = 30 * dayMs;
/**
 * A file that was uploaded for an import is deleted with the import; one of an import that was never begun
 * is kept so long.
 */
const forImportMs = 3 * dayMs;
const sweepEveryMs = hourMs;
const pictureEveryMs = 2_000;
/** How long a process may take for the sizes of one picture before another one tries. Milliseconds. */
const claimMs = 10 * 60_000;
/**
 * Attempts at the sizes of one picture: one that takes the process down with it would do so at each start.
 */
const maxAttempts = 5;
/** When a picture is tried again whose sizes could not be stored. Milliseconds. */
const againMs = 10_000;
/** Keys of the store that are looked up together. */
const keysAtOnce = 1_000;

/** What happens to files beside requests. */
export function fileJobs(context: JobContext): Job[] {
  return [
    {
      everyMs: pictureEveryMs,
      isAtOnce: true,
      failure: 'the sizes of a picture could not be made',
      run: async () => ((await makeNextVariants(context)) ? 'more' : undefined),
    },
    {
      everyMs: sweepEveryMs,
      isAtOnce: true,
      failure: 'files could not be swept',
      run: () => sweepInTurn(context),
    },
  ];
}

/**
 * Makes the sizes of the picture that waits longest, unless another process makes them. Resolves with
 * whether there was one. What a store fails to do passes, so it is thrown and the picture is tried again a
 * little later.
 */
export async function makeNextVariants(context: JobContext): Promise<boolean> {
  const { db, files, config } = context;
  const claimed = await claimPicture(context);
  if (claimed === undefined) return false;
  const { fileId, attempts } = claimed;
  const made: Variant[] = [];
  try {
    if (attempts > maxAttempts)
      context.log.error({ fileId }, 'no sizes of this picture: it ended the process');
    else
      for (const { width, type, bytes } of await sizesOf(context, fileId)) {
        await using staged = await stage(stagedPath(config), [bytes], bytes.length);
        await files.put(variantKey(fileId, width), staged.path);
        made.push({ width, type, size: bytes.length });
      }
  } catch (error) {
    // The process has survived this attempt.
    await putOff(context, { fileId, attempts: attempts - 1 }, againMs);
    throw error;
  }
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ variants: JSON.stringify(made) })
    .where('id', '=', fileId)
    .executeTakeFirst();
  // The picture was deleted meanwhile, and no row names these bytes.
  if (numUpdatedRows === 0n) for (const { width } of made) await files.remove(variantKey(fileId, width));
  return true;
}

/** A picture, and how many attempts at its sizes have begun with this one. */
type Claim = { fileId: string; attempts: number };

/**
 * Takes a picture for this process alone, for as long as it may take to make its sizes. The attempt is
 * recorded before anything is decoded.
 */
async function claimPicture({ db, clock }: Pick<JobContext, 'db' | 'clock'>): Promise<Claim | undefined> {
  return await inTransaction({ db, ...unguarded }, async trx => {
    const waiting = trx
      .selectFrom('files')
      .select(['id', 'variants_attempts'])
      .where('variants', 'is', null)
      .where('variants_due_at', '<=', clock())
      .orderBy('variants_due_at')
      .limit(1);
    const file = await dialectOf(trx).skipLocked(waiting).executeTakeFirst();
    if (file === undefined) return undefined;
    const claim = { fileId: file.id, attempts: file.variants_attempts + 1 };
    await putOff({ db: trx, clock }, claim, claimMs);
    return claim;
  });
}

async function putOff(
  { db, clock }: Pick<JobContext, 'db' | 'clock'>,
  { fileId, attempts }: Claim,
  ms: number,
): Promise<void> {
  await db
    .updateTable('files')
    .set({ variants_due_at: clock() + ms, variants_attempts: attempts })
    .where('id', '=', fileId)
    .execute();
}

/**
 * None of a picture that defeats the encoder, or whose bytes have gone: the picture itself is served in
 * every size.
 */
async function sizesOf(
  { files, log }: Pick<JobContext, 'files' | 'log'>,
  fileId: string,
): Promise<{ width: number; type: string; bytes: Buffer }[]> {
  const none = (error: unknown) => {
    log.error({ err: error, fileId }, 'no sizes of this picture');
    return [];
  };
  let bytes: Buffer;
  try {
    bytes = await readWhole(files, fileId);
  } catch (error) {
    if (isMissingBytes(error)) return none(error);
    throw error;
  }
  return await makeVariants(bytes).catch(none);
}

/** One process sweeps the store for all; each sweeps its own data folder. */
async function sweepInTurn(context: FileContext): Promise<void> {
  const { db, clock } = context;
  const isOurs = await takeLease(db, 'sweep-files', { now: clock(), ms: sweepEveryMs });
  await (isOurs ? sweepFiles(context) : sweepStaged(context));
}

/** Removes what abandoned uploads and killed processes have left in this process's own folder. */
export async function sweepStaged({ config, clock }: Pick<FileContext, 'config' | 'clock'>): Promise<void> {
  for (const name of ['backups', 'files'])
    await removeAbandoned(join(config.dataDir, name), clock() - abandonedMs);
  const folder = stagedPath(config, '');
  await mkdir(folder, { recursive: true });
  for await (const { name } of await opendir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < clock() - abandonedMs) await rm(path, { force: true });
  }
}

/**
 * Removes abandoned uploads and those of who may not upload any more, files that no post has carried for a
 * month, and bytes that no row names. Every step asks the database at the moment of removing, so it is safe
 * beside uploads and saves, and beside another server's sweep.
 */
export async function sweepFiles(context: FileContext): Promise<void> {
  const { db, clock, files } = context;
  const now = clock();
  const unfinished = await db
    .selectFrom('upload_sessions')
    .select(['id', 'user_id', 'touched_at'])
    .where('file_id', 'is', null)
    .execute();
  for (const { id, user_id, touched_at } of unfinished) {
    const isAbandoned = touched_at < now - abandonedMs;
    if (isAbandoned || isLessThan(await roleOfUser(db, user_id), 'author')) await dropSessions(context, [id]);
  }
  await db
    .deleteFrom('upload_sessions')
    .where('touched_at', '<', now - abandonedMs)
    .where('file_id', 'is not', null)
    .execute();

  const unused = await db
    .selectFrom('files')
    .select('id')
    .where(eb =>
      eb.or([
        eb('created_at', '<', now - unusedMs),
        eb.and([eb('created_at', '<', now - forImportMs), eb('path', 'like', `${importPrefix}%`)]),
      ]),
    )
    .where(isCarriedByNone)
    .execute();
  await removeUnusedFiles(
    context,
    unused.map(file => file.id),
  );

  await sweepStaged(context);
  let keys: string[] = [];
  const removeUnnamed = async () => {
    const unnamed = await unnamedOf(context, keys);
    keys = [];
    if (unnamed.length === 0 || (await areBytesKept(context))) return;
    for (const key of unnamed) await files.remove(key);
  };
  for await (const { key, storedAt } of files.list()) {
    if (storedAt < now - abandonedMs && isKey(key)) keys.push(key);
    if (keys.length === keysAtOnce) await removeUnnamed();
  }
  await removeUnnamed();
}

/**
 * Those of these keys under which no row says that there are bytes: no file, no size of a picture, no part
 * of an upload, no export.
 */
async function unnamedOf({ db }: Pick<JobContext, 'db'>, keys: readonly string[]): Promise<string[]> {
  const { inList } = dialectOf(db);
  const fileIds = keys.map(key => key.split('.')[0] ?? '');
  const files = await db
    .selectFrom('files')
    .select(['id', 'variants'])
    .where(inList(sql.ref('id'), fileIds))
    .execute();
  const parts = await db
    .selectFrom('upload_parts')
    .select('key')
    .where(inList(sql.ref('key'), keys))
    .execute();
  const made = await db
    .selectFrom('transfers')
    .select('made_key')
    .where(inList(sql.ref('made_key'), keys))
    .execute();
  const known = new Map(
    files.map(({ id, variants }) => [id, JSON.parse(variants ?? 'null') as Variant[] | null]),
  );
  const others = new Set([...parts.map(part => part.key), ...made.map(row => row.made_key)]);
  return keys.filter(key => {
    const [id = '', width] = key.split('.');
    const variants = known.get(id);
    if (variants === undefined) return !others.has(key);
    // Sizes are stored before the row says so.
    return width !== undefined && variants?.every(variant => String(variant.width) !== width);
  });
}
