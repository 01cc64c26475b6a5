import { open, rm } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { ReadContext } from '../../access/context.ts';
import { roleOfUser } from '../../access/viewer.ts';
import { createId } from '../../base/id.ts';
import type { Config } from '../../config.ts';
import { isOutage, Outage, outages } from '../../db/outage.ts';
import type { FileRow, Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { type OwnMetadata, shownName } from '../pictures/metadata.ts';
import { damagedPicture } from '../pictures/pictures.ts';
import { editorOf } from '../privacy/blank.ts';
import { cleanMedium, convertHeic } from '../privacy/clean.ts';
import { typeOfFile } from '../privacy/file-type.ts';
import { uncleanable, uncleanablePicture, unshowable } from '../privacy/refusals.ts';
import {
  headBytes,
  heicType,
  isFalsePicture,
  isTextOrMidi,
  isUnknownMedium,
  isUnknownPicture,
  servedType,
  uncleanableTypes,
} from '../privacy/type.ts';
import { removeBytes, removeUncarried } from '../remove.ts';
import { digestsOf } from '../store/disk.ts';
import type { FileStore } from '../store/store.ts';
import { damagedUpload } from './parts.ts';
import { quotaExceeded, usedBytes } from './quota.ts';
import { type Staged, stage, stagedPath } from './staging.ts';

export type FileContext = WriteContext & { config: Config; files: FileStore };
/** The dependencies of storing files up to the size limit of the settings. */
export type UploadContext = FileContext & Pick<ReadContext, 'settings'>;

/** The known properties of a file before its bytes are inspected. */
export type NewFile = {
  path: string;
  type: string | null;
  metadata: OwnMetadata;
  uploaderId: string | null;
  /** Its id; a new one if left out. */
  id?: string | undefined;
};

/**
 * Stores a file of at most `maxBytes` that is on no post yet. Throws as {@link finalizeUpload}, and
 * out-of-range.
 */
export async function storeStream(
  context: FileContext,
  file: NewFile,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<FileRow> {
  await using staged = await stage(stagedPath(context.config), bytes, maxBytes);
  return await finalizeUpload(context, staged, file);
}

/**
 * Makes a file of a completely received upload. The bytes are complete and durable in the store before the
 * row says that they exist; a crash in between leaves bytes that nobody sees, and the sweep removes. The
 * bytes that are read back are compared with those received. The caller removes the staged file. `also` runs
 * in the transaction that makes the row.
 *
 * Throws aborted if the bytes are not those received; invalid-argument for a wrong `md5Hash`;
 * permission-denied for a picture that is damaged or of a kind that browsers do not show, for a video or
 * sound from which hidden data cannot be removed, and if the file of this name is on a post;
 * resource-exhausted if the site's quota for files is used up.
 */
export async function finalizeUpload(
  context: FileContext,
  upload: Staged,
  { path, type: declared, metadata: { md5Hash, ...metadata }, uploaderId, id = createId() }: NewFile,
  also: (trx: Kysely<Tables>, file: FileRow) => Promise<void> = async () => {},
): Promise<FileRow> {
  const { clock, files } = context;
  const { path: staged } = upload;
  const received = await readBack(upload, md5Hash);
  const sniffed = await typeOfUpload(staged, declared);
  const by = uploaderId ?? undefined;
  await using converted = sniffed === heicType ? await convertHeic(staged, by) : undefined;
  const type = converted === undefined ? sniffed : 'image/jpeg';
  const medium = await cleanMedium(converted?.path ?? staged, type, by);
  const stored =
    medium?.cleaned ??
    (converted === undefined
      ? { ...received, path: staged }
      : { path: converted.path, ...(await digestsOf(converted.path)) });
  const now = clock();
  const file: FileRow = {
    id,
    path,
    name: converted === undefined ? shownName(path, metadata) : jpegName(shownName(path, metadata)),
    type,
    size: stored.size,
    digest: received.digest,
    md5: stored.md5,
    uploader_id: uploaderId,
    created_at: now,
    updated_at: now,
    // Rises with time, and two uploads in one millisecond still differ.
    generation: now * 1_000 + Math.floor(Math.random() * 1_000),
    metageneration: 1,
    metadata: JSON.stringify(metadata),
    width: medium?.width ?? null,
    height: medium?.height ?? null,
    placeholder: medium?.placeholder ?? null,
    variants: medium?.hasSizes || /^(?:video|audio)\//.test(type) ? null : '[]',
    variants_due_at: now,
    variants_attempts: 0,
  };
  try {
    await files.put(id, stored.path);
  } finally {
    if (stored.path !== staged) await rm(stored.path, { force: true });
  }
  const storedSize = await files.size(id);
  if (storedSize !== stored.size) {
    throw new Outage(outages.store, new Error(`The store has ${storedSize} bytes of ${stored.size}.`));
  }
  const replaced = await insertFile(context, file, also);
  if (replaced !== undefined) await removeBytes(context, [replaced]);
  return file;
}

/** Reads a staged file and compares it with the received bytes. Throws as {@link finalizeUpload}. */
async function readBack(upload: Staged, md5Hash: string | undefined) {
  const received = await digestsOf(upload.path);
  if (received.digest !== upload.digest || received.size !== upload.size) {
    throw damagedUpload(`${received.size} of ${upload.size} bytes were read back, or they differ.`);
  }
  if (md5Hash !== undefined && md5Hash !== received.md5) {
    throw new AppError('invalid-argument', 'The file was damaged on the way: its checksum does not match.');
  }
  return received;
}

/**
 * Inserts the row of stored bytes, and removes the bytes if it is refused. Returns the row that it replaced.
 */
async function insertFile(
  context: FileContext,
  file: FileRow,
  also: (trx: Kysely<Tables>, file: FileRow) => Promise<void>,
): Promise<FileRow | undefined> {
  const { path, uploader_id: uploaderId } = file;
  try {
    return await inTransaction(context, async trx => {
      const replaced = await removeUncarried(trx, path, before => mayReplace(trx, before, uploaderId));
      await trx.insertInto('files').values(file).execute();
      await also(trx, file);
      // Counted with this one: another upload that is stored at the same time waits here.
      if ((await usedBytes(trx)) > context.config.filesQuotaBytes) throw quotaExceeded();
      return replaced;
    });
  } catch (error) {
    // If the connection broke during the commit, the row may exist: the sweep decides about the bytes.
    if (!isOutage(error)) await context.files.remove(file.id);
    throw error;
  }
}

/** Throws permission-denied if somebody other than an admin would replace another person's file. */
async function mayReplace(trx: Kysely<Tables>, file: FileRow, uploaderId: string | null): Promise<void> {
  if (uploaderId === null || file.uploader_id === uploaderId) return;
  if ((await roleOfUser(trx, uploaderId)) !== 'admin') {
    throw new AppError('permission-denied', 'There is a file of somebody else with this name.');
  }
}

/** The name of a picture that was converted from HEIC: programs go by the extension. */
const jpegName = (name: string) => `${name.replace(/\.(?:hei[cf]s?|hif)$/i, '')}.jpg`;

/**
 * The type told by an upload's bytes. Throws permission-denied for a file that is declared a picture and
 * would be shown as a broken one, and for one from which hidden data cannot be removed.
 */
async function typeOfUpload(staged: string, declared: string | null): Promise<string> {
  await using handle = await open(staged);
  const file = await editorOf(handle);
  const sniffed = await typeOfFile(file);
  if (isFalsePicture(sniffed, declared)) throw damagedPicture();
  if (isUnknownPicture(sniffed, declared)) throw uncleanablePicture();
  if (isUnknownMedium(sniffed, declared) && !isTextOrMidi(await file.read(0, headBytes))) throw uncleanable();
  if (uncleanableTypes.has(sniffed)) throw sniffed.startsWith('image/') ? unshowable() : uncleanable();
  return servedType(sniffed, declared);
}
