import type { Logger } from 'pino';
import { dialectOf } from '../db/dialect.ts';
import type { FileRow } from '../db/tables.ts';
import { createId } from '../id.ts';
import { isMissingBytes } from './missing-bytes.ts';
import { makeVariants, type Variant, variantKey } from './pictures.ts';
import { appendStaged, listStaged, removeStaged, stagedPath } from './staging.ts';
import { readWhole } from './store.ts';
import { dropSessions, type Uploading } from './uploads.ts';
import { removeUnusedFiles } from './write.ts';

type Working = Uploading & { log: Logger };

const hour = 60 * 60 * 1_000;
/** An upload that nobody has continued for so long is abandoned. */
const abandonedMs = 24 * hour;
/** A file that no post carries is kept so long for a text that is still being written. */
const unusedMs = 30 * 24 * hour;
const sweepEveryMs = hour;
const pictureEveryMs = 2_000;

/** Starts what happens to files beside requests. Returns the function that stops it, once what is under way is done. */
export function startFileJobs(working: Working): () => Promise<void> {
  let isStopping = false;
  const loop = (job: () => Promise<boolean>, everyMs: number, name: string) => {
    let timer: NodeJS.Timeout | undefined;
    let current: Promise<void> = Promise.resolve();
    const run = () => {
      current = job()
        .catch((error: unknown) => {
          working.log.error({ err: error }, `${name} failed; it is tried again`);
          return false;
        })
        .then(hasMore => {
          if (!isStopping) timer = setTimeout(run, hasMore ? 0 : everyMs);
        });
    };
    run();
    return async () => {
      clearTimeout(timer);
      await current;
    };
  };
  const putOff = new Set<string>();
  const stops = [
    loop(() => makeNextVariants(working, putOff), pictureEveryMs, 'making sizes of pictures'),
    loop(() => sweepFiles(working).then(() => false), sweepEveryMs, 'sweeping files'),
  ];
  return async () => {
    isStopping = true;
    await Promise.all(stops.map(stop => stop()));
  };
}

/**
 * Makes the sizes of the picture that waits longest. Resolves with whether there was one. What a store fails to do
 * passes, so it is thrown and leaves the picture for a later turn: those in `putOff` wait until the others are done.
 */
export async function makeNextVariants(
  working: Pick<Working, 'db' | 'files' | 'config' | 'log'>,
  putOff: Set<string> = new Set(),
): Promise<boolean> {
  const { db, files } = working;
  const file = await db
    .selectFrom('files')
    .select('id')
    .where('variants', 'is', null)
    .where(eb => eb.not(dialectOf(db).isOneOf(eb.ref('id'), [...putOff])))
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  if (file === undefined) {
    putOff.clear();
    return false;
  }
  const made: Variant[] = [];
  try {
    for (const variant of await sizesOf(working, file.id)) {
      await store(working, variantKey(file.id, variant.width), variant.bytes);
      made.push({ width: variant.width, type: variant.type, size: variant.bytes.length });
    }
  } catch (error) {
    putOff.add(file.id);
    throw error;
  }
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ variants: JSON.stringify(made) })
    .where('id', '=', file.id)
    .executeTakeFirst();
  // Deleted meanwhile: nobody else knows of these bytes.
  if (numUpdatedRows === 0n) for (const { width } of made) await files.remove(variantKey(file.id, width));
  return true;
}

/** None of a picture that defeats the encoder, or whose bytes have gone: the picture itself is served in every size. */
async function sizesOf(
  { files, log }: Pick<Working, 'files' | 'log'>,
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

async function store(
  { config, files }: Pick<Working, 'config' | 'files'>,
  key: string,
  bytes: Buffer,
): Promise<void> {
  const id = createId();
  try {
    const whole = (async function* () {
      yield bytes;
    })();
    await appendStaged(config, id, whole, { maxBytes: bytes.length });
    await files.put(key, stagedPath(config, id));
  } finally {
    await removeStaged(config, id);
  }
}

/**
 * Removes abandoned uploads, files that no post has carried for a month, and bytes that no row names. Every step asks the
 * database at the moment of removing, so it is safe beside uploads and saves, and beside another server's sweep.
 */
export async function sweepFiles(working: Uploading): Promise<void> {
  const { db, config, clock, files } = working;
  const now = clock();
  const abandoned = await db
    .selectFrom('upload_sessions')
    .innerJoin('users', 'users.id', 'upload_sessions.user_id')
    .select(['upload_sessions.id', 'file_id'])
    .where(eb => eb.or([eb('touched_at', '<', now - abandonedMs), eb('users.is_admin', '=', false)]))
    .execute();
  await dropSessions(
    working,
    abandoned.filter(session => session.file_id === null).map(session => session.id),
  );
  await db
    .deleteFrom('upload_sessions')
    .where('touched_at', '<', now - abandonedMs)
    .where('file_id', 'is not', null)
    .execute();

  const unused = await db
    .selectFrom('files')
    .select('id')
    .where('created_at', '<', now - unusedMs)
    .where('id', 'not in', db.selectFrom('post_files').select('file_id'))
    .execute();
  await removeUnusedFiles(
    working,
    unused.map(file => file.id),
  );

  for await (const { id, touchedAt } of listStaged(config)) {
    if (touchedAt > now - abandonedMs) continue;
    const session = await db
      .selectFrom('upload_sessions')
      .select('id')
      .where('id', '=', id)
      .executeTakeFirst();
    if (session === undefined) await removeStaged(config, id);
  }
  for await (const { key, storedAt } of files.list()) {
    if (storedAt > now - abandonedMs) continue;
    if (!(await isNamed(working, key))) await files.remove(key);
  }
}

async function isNamed({ db }: Pick<Working, 'db'>, key: string): Promise<boolean> {
  const [id = '', size] = key.split('.');
  const file: Pick<FileRow, 'variants'> | undefined = await db
    .selectFrom('files')
    .select('variants')
    .where('id', '=', id)
    .executeTakeFirst();
  if (file === undefined || size === undefined) return file !== undefined;
  const variants = JSON.parse(file.variants ?? 'null') as Variant[] | null;
  return variants === null || variants.some(variant => String(variant.width) === size);
}
