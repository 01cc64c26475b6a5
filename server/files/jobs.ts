import { mkdir, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { isLessThan, roleOfUser } from '../access/viewer.ts';
import type { Job } from '../base/background.ts';
import { dayMs, hourMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { takeLease } from '../db/lease.ts';
import { isKey } from './address.ts';
import { makeNextVariants, prepareNext, type VideoContext } from './make-variants.ts';
import { importPrefix } from './path.ts';
import { isCarriedByNone, removeUnusedFiles } from './remove.ts';
import { areDeletionsHeld } from './store/deletion-hold.ts';
import { removeAbandoned } from './store/disk.ts';
import { stagedPath } from './uploads/staging.ts';
import { dropSessions } from './uploads/uploads.ts';
import type { FileContext } from './uploads/write.ts';
import { keysOfFile } from './variant.ts';

type JobContext = VideoContext & FileContext;

/** An upload that nobody has continued for this long is abandoned. */
const abandonedMs = dayMs;
/** A file on no post is kept this long, for a text that is still being written. */
const unusedMs = 30 * dayMs;
/**
 * A file that was uploaded for an import is deleted with the import; if the import never began, after this
 * time.
 */
const forImportMs = 3 * dayMs;
const sweepEveryMs = hourMs;
const pictureEveryMs = 500;
const videoEveryMs = 5_000;
/** Keys in the store that are looked up together. */
const keysAtOnce = 1_000;

/** Background work on files. */
export function fileJobs(context: JobContext): Job[] {
  return [
    {
      everyMs: pictureEveryMs,
      isAtOnce: true,
      failure: 'the sizes of a picture could not be made',
      run: async () => ((await makeNextVariants(context)) ? 'more' : undefined),
    },
    // Separate jobs: pictures do not wait for a video.
    {
      everyMs: videoEveryMs,
      isAtOnce: true,
      failure: 'a video or sound could not be prepared',
      run: async () => ((await prepareNext(context)) ? 'more' : undefined),
    },
    {
      everyMs: sweepEveryMs,
      isAtOnce: true,
      failure: 'files could not be swept',
      run: () => sweepInTurn(context),
    },
  ];
}

/** One process sweeps the store for all; each sweeps its own data folder. */
async function sweepInTurn(context: FileContext): Promise<void> {
  const { db, clock } = context;
  const isOurs = await takeLease(db, 'sweep-files', { now: clock(), ms: sweepEveryMs });
  await (isOurs ? sweepFiles(context) : sweepStaged(context));
}

/** Deletes what abandoned uploads and killed processes left in this process's own folder. */
export async function sweepStaged({ config, clock }: Pick<FileContext, 'config' | 'clock'>): Promise<void> {
  for (const name of ['backups', 'files'])
    await removeAbandoned(join(config.dataDir, name), clock() - abandonedMs);
  const folder = stagedPath(config, '');
  await mkdir(folder, { recursive: true });
  for await (const { name } of await opendir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < clock() - abandonedMs)
      await rm(path, { recursive: true, force: true });
  }
}

/**
 * Deletes abandoned uploads, uploads of accounts that lost the right, files that have been on no post for a
 * month, and bytes without a row. Each step checks the database as it deletes, so it may run beside uploads,
 * saves and another server's sweep.
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
    if (unnamed.length === 0 || (await areDeletionsHeld(context))) return;
    for (const key of unnamed) await files.remove(key);
  };
  for await (const { key, storedAt } of files.list()) {
    if (storedAt < now - abandonedMs && isKey(key)) keys.push(key);
    if (keys.length === keysAtOnce) await removeUnnamed();
  }
  await removeUnnamed();
}

/** The keys without a row that refers to them: no file, no rendition, no part of an upload, no export. */
async function unnamedOf({ db }: Pick<JobContext, 'db'>, keys: readonly string[]): Promise<string[]> {
  const { inList } = dialectOf(db);
  const fileIds = keys.map(key => key.split('.')[0] ?? '');
  const files = await db
    .selectFrom('files')
    .select(['id', 'size', 'variants'])
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
  const known = new Map(files.map(file => [file.id, file]));
  const others = new Set([...parts.map(part => part.key), ...made.map(row => row.made_key)]);
  return keys.filter(key => {
    const file = known.get(key.split('.')[0] ?? '');
    if (file === undefined) return !others.has(key);
    // Renditions are stored before the row says so.
    return file.variants !== null && keysOfFile(file).every(named => named.key !== key);
  });
}
