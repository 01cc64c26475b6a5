import { mkdtempDisposable, stat } from 'node:fs/promises';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Logger } from 'pino';
import { AppError } from '../../contract/errors.ts';
import { fullLines } from '../../contract/files.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import { hourMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { keepRenewed } from '../db/lease.ts';
import type { FileRow, Tables } from '../db/tables.ts';
import { inTransaction, unguarded, type WriteContext } from '../db/transaction.ts';
import { fileIdOf } from './address.ts';
import { makeSizes } from './media/processes.ts';
import { isPlayed } from './played.ts';
import { areDeletionsHeld } from './store/deletion-hold.ts';
import { digestsOf } from './store/disk.ts';
import { freeIn } from './store/free-space.ts';
import { isMissingBytes } from './store/missing-bytes.ts';
import { largestFile } from './uploads/largest.ts';
import { stage, stagedPath } from './uploads/staging.ts';
import type { FileContext } from './uploads/write.ts';
import { nameAs, type Variant, variantKey } from './variant.ts';
import { hasFfmpeg, NotNow, Unpreparable } from './videos/ffmpeg.ts';
import { prepare } from './videos/prepare.ts';

type VariantContext = FileContext & { log: Logger; stopping: AbortSignal };
export type VideoContext = VariantContext & {
  settings: () => Promise<SiteSettings>;
  changes: { caughtUp(): Promise<unknown> };
};

/** How long after a process has died another one takes its file over. Milliseconds. */
const claimMs = 10 * 60_000;
/** The most attempts at one file: one that crashes the process would do so at each start. */
const maxAttempts = 5;
/**
 * The pause before a picture or a video is tried again after the store or the machine failed. Milliseconds.
 */
const pictureAgainMs = 10_000;
const videoAgainMs = hourMs;
/** The disk space to leave free while a video is prepared. Bytes. */
const spareBytes = 1024 ** 3;

/** A file, and the number of attempts at it, this one included. */
type Claim = Pick<FileRow, 'name' | 'type' | 'size'> & { fileId: string; attempts: number };
/** Stores the content of a file as a variant. */
type Keep = (made: Omit<Variant, 'size'> & { path: string }) => Promise<void>;

/**
 * Makes the sizes of the next picture: fewest attempts first, then longest waiting. Returns false if there is
 * none. Throws if the store fails; the picture is tried again shortly.
 */
export async function makeNextVariants(context: VariantContext): Promise<boolean> {
  const claimed = await claim(context, sql<SqlBool>`not ${isPlayed}`);
  if (claimed === undefined) return false;
  await make(context, claimed, pictureAgainMs, keep => keepSizes(context, claimed.fileId, keep));
  return true;
}

/**
 * Prepares the next video or sound to play everywhere. Without ffmpeg it waits, and is served as it was
 * uploaded.
 */
export async function prepareNext(context: VideoContext): Promise<boolean> {
  // First, because asking ffmpeg what it can do takes a third of a start.
  const isWaiting = (await dueVideos(context).executeTakeFirst()) !== undefined;
  if (context.stopping.aborted || !isWaiting || !(await hasFfmpeg())) return false;
  const claimed = await claim(context, isPlayed);
  if (claimed === undefined) return false;
  try {
    await make(context, claimed, videoAgainMs, async keep => {
      await context.changes.caughtUp();
      const isDropped = (await context.settings()).originals === 'dropped';
      await keepPrepared(context, claimed, async made => {
        const isWhole = made.width === fullLines || made.width === 'sound';
        const isOriginal = isDropped && isWhole && (await stat(made.path)).size < claimed.size;
        await keep({ ...made, ...(isOriginal && { isOriginal }) });
        if (made.width === 'poster' && claimed.attempts === 1 && (await othersWait(context)))
          throw new OthersFirst();
      });
    });
  } catch (error) {
    if (!(error instanceof OthersFirst)) throw error;
    const isThere = await putOff(context, claimed, 0);
    // It was deleted meanwhile, and no row names its poster.
    if (!isThere) await context.files.remove(variantKey(claimed.fileId, 'poster'));
  }
  return true;
}

/** Ends the first attempt at a video once its poster is stored, so that other videos get their posters. */
class OthersFirst extends Error {}

/** The first of the videos and sounds that wait for an attempt. */
function dueVideos({ db, clock }: Pick<WriteContext, 'db' | 'clock'>) {
  return db
    .selectFrom('files')
    .select('id')
    .where('variants', 'is', null)
    .where('variants_due_at', '<=', clock())
    .where(isPlayed)
    .limit(1);
}

async function othersWait(context: Pick<WriteContext, 'db' | 'clock'>): Promise<boolean> {
  const waiting = dueVideos(context).where('variants_attempts', '=', 0);
  return (await waiting.executeTakeFirst()) !== undefined;
}

/** Makes the variants of a file, each stored by `makeAll`, and then records them in its row. */
async function make(
  context: VariantContext,
  claimed: Claim,
  againMs: number,
  makeAll: (keep: Keep) => Promise<void>,
): Promise<void> {
  const { db, files } = context;
  const { fileId, attempts } = claimed;
  const made: Variant[] = [];
  let own: Pick<FileRow, 'type' | 'size' | 'md5' | 'name'> | undefined;
  try {
    if (attempts > maxAttempts)
      context.log.error({ fileId }, `nothing is made of this file: ${maxAttempts} attempts have failed`);
    else
      await whileClaimed(context, claimed, () =>
        makeAll(async ({ path, ...variant }) => {
          await files.put(variantKey(fileId, variant.width), path);
          const { size, md5 } = await digestsOf(path);
          made.push({ ...variant, size });
          const { type, isOriginal } = variant;
          if (isOriginal) own = { type, size, md5, name: nameAs(type, claimed.name) };
        }),
      );
  } catch (error) {
    const isStopping = context.stopping.aborted;
    // An attempt is counted only if the machine failed or a process ended, as when memory ran out.
    const counted = error instanceof NotNow && !isStopping ? attempts : attempts - 1;
    // After a stop the next process begins it at once.
    await putOff(context, { fileId, attempts: counted }, isStopping ? 0 : againMs);
    if (isStopping && !(error instanceof OthersFirst)) return;
    throw error;
  }
  const isThere = await inTransaction({ db, ...unguarded }, async trx => {
    // First the file: a post that is saved meanwhile has locked it, and its attachments are there afterwards.
    const { numUpdatedRows } = await trx
      .updateTable('files')
      .set({ variants: JSON.stringify(made), ...own })
      .where('id', '=', fileId)
      .executeTakeFirst();
    if (own !== undefined) await describeAttached(trx, fileId, own);
    return numUpdatedRows > 0n;
  });
  // The file was deleted meanwhile, and no row names these bytes.
  if (!isThere) for (const { width } of made) await files.remove(variantKey(fileId, width));
  // Bytes that an export may still read are left for the sweep.
  else if (own !== undefined && !(await areDeletionsHeld(context))) await files.remove(fileId);
}

/** Describes what replaced a file in the posts that have it as an attachment. */
async function describeAttached(
  trx: Kysely<Tables>,
  fileId: string,
  { type, size, name }: Pick<FileRow, 'type' | 'size' | 'name'>,
): Promise<void> {
  await trx
    .updateTable('attachments')
    .set({ type, size, name })
    .where('post_id', 'in', trx.selectFrom('post_files').select('post_id').where('file_id', '=', fileId))
    .where(eb => eb(fileIdOf(eb.ref('url')), '=', fileId))
    .execute();
}

/**
 * Claims a file for this process while its variants are made. The attempt is recorded before anything is
 * decoded.
 */
async function claim(
  { db, clock }: Pick<WriteContext, 'db' | 'clock'>,
  isMeant: RawBuilder<SqlBool>,
): Promise<Claim | undefined> {
  return await inTransaction({ db, ...unguarded }, async trx => {
    const waiting = trx
      .selectFrom('files')
      .select(['id', 'name', 'type', 'size', 'variants_attempts'])
      .where('variants', 'is', null)
      .where('variants_due_at', '<=', clock())
      .where(isMeant)
      .orderBy('variants_attempts')
      .orderBy('variants_due_at')
      .limit(1);
    const file = await dialectOf(trx).skipLocked(waiting).executeTakeFirst();
    if (file === undefined) return undefined;
    const { id: fileId, name, type, size } = file;
    const claimed = { fileId, name, type, size, attempts: file.variants_attempts + 1 };
    await putOff({ db: trx, clock }, claimed, claimMs);
    return claimed;
  });
}

/** Renews a claim while `act` runs: a video takes long, and a picture waits for those of people. */
async function whileClaimed(
  context: VariantContext,
  claimed: Claim,
  act: () => Promise<void>,
): Promise<void> {
  const renew = async () => void (await putOff(context, claimed, claimMs));
  const stopRenewing = keepRenewed(renew, claimMs / 5, error =>
    context.log.warn({ err: error, fileId: claimed.fileId }, 'the claim on a file could not be renewed'),
  );
  try {
    await act();
  } finally {
    stopRenewing();
  }
}

/** Returns whether the file still exists. */
async function putOff(
  { db, clock }: Pick<WriteContext, 'db' | 'clock'>,
  { fileId, attempts }: Pick<Claim, 'fileId' | 'attempts'>,
  ms: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ variants_due_at: clock() + ms, variants_attempts: attempts })
    .where('id', '=', fileId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Makes no sizes if the picture cannot be encoded or its bytes are missing; the original is then served at
 * every size.
 */
async function keepSizes(context: VariantContext, fileId: string, keep: Keep): Promise<void> {
  const { log, stopping } = context;
  const none = (error: unknown) => {
    // Another attempt may succeed: the process ended, or the disk was full.
    const isPassing =
      error instanceof NotNow || (error instanceof AppError && error.code === 'resource-exhausted');
    if (isPassing || stopping.aborted) throw error;
    log.error({ err: error, fileId }, 'no sizes of this picture');
    return [];
  };
  try {
    await inFolder(context, fileId, async (path, folder) => {
      for (const made of await makeSizes(path, folder, stopping).catch(none)) await keep(made);
    });
  } catch (error) {
    if (!isMissingBytes(error)) throw error;
    none(error);
  }
}

/**
 * Reads a file of the store into a path, beside a folder for what is made of it. Both are removed
 * afterwards.
 */
async function inFolder(
  { files, config }: VariantContext,
  fileId: string,
  act: (path: string, folder: string) => Promise<void>,
): Promise<void> {
  await using staged = await stage(stagedPath(config), files.read(fileId), Number.POSITIVE_INFINITY);
  await using folder = await mkdtempDisposable(`${staged.path}-`);
  await act(staged.path, folder.path);
}

/**
 * Makes the missing renditions of a video or sound. If it cannot be prepared, or its bytes are missing, the
 * original is served.
 */
async function keepPrepared(context: VideoContext, { fileId, type }: Claim, keep: Keep): Promise<void> {
  const { files, config, log, stopping } = context;
  try {
    const size = (await files.size(fileId)) ?? 0;
    const needed = 3 * size + spareBytes;
    if ((await freeIn(config.dataDir)) < needed)
      throw new Error('The disk of the data folder is nearly full.');
    await inFolder(context, fileId, async (path, folder) => {
      const work = { folder, maxBytes: 2 * Math.max(size, await largestFile(context)), stopping };
      for await (const made of prepare({ path, type }, work)) await keep(made);
    });
  } catch (error) {
    if (!(error instanceof Unpreparable) && !isMissingBytes(error)) throw error;
    log.warn({ err: error, fileId }, 'this video or sound could not be prepared');
  }
}
