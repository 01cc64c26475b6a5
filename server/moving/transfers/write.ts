import type { Kysely } from 'kysely';
import { transferLimits } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import { type ImportSource, importSources, slotsOf } from '../../../contract/transfer-sources.ts';
import type { ExportFormat, TransferState } from '../../../contract/transfers.ts';
import { dayMs, hourMs } from '../../base/clock.ts';
import { createId } from '../../base/id.ts';
import { dialectOf } from '../../db/dialect.ts';
import { markOnce } from '../../db/marks.ts';
import type { ImportChoices, Tables, TransferFile, TransferRow } from '../../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../../db/transaction.ts';
import { fileIdAt } from '../../files/address.ts';
import { importPrefix } from '../../files/path.ts';
import { removeUnusedFiles } from '../../files/remove.ts';
import type { FileStore } from '../../files/store/store.ts';
import { recordHistory } from '../../history/write.ts';
import { writersOf } from '../import/authors.ts';
import { filesOf, getTransfer } from './read.ts';

export type TransferContext = WriteContext & { files: FileStore };

const exportNames: Record<ExportFormat, string> = { archive: 'the whole site', markdown: 'all posts' };

type Uploaded = { slot: string; url: string };

/**
 * Begins the dry run of an import. Throws invalid-argument for files that the source does not accept,
 * not-found for one that this admin has not uploaded for an import, and already-exists while another transfer
 * is open.
 */
export async function checkImport(
  context: TransferContext,
  userId: string,
  { source, files }: { source: ImportSource; files: readonly Uploaded[] },
): Promise<string> {
  refuseFiles(source, files);
  return await inTransaction(context, async trx => {
    const found: TransferFile[] = [];
    for (const { slot, url } of files) found.push({ slot, ...(await uploadedFile(trx, userId, url)) });
    return await insertTransfer(trx, context, {
      kind: 'import',
      what: source,
      is_dry_run: true,
      files: JSON.stringify(found),
      user_id: userId,
    });
  });
}

function refuseFiles(source: ImportSource, files: readonly Uploaded[]): void {
  const slots = slotsOf(source);
  const { name } = importSources[source];
  const unknown = files.find(file => !slots.some(([slot]) => slot === file.slot));
  if (unknown !== undefined)
    throw new AppError('invalid-argument', `An import from ${name} takes no ${unknown.slot}.`);
  for (const [slot, { label, isRequired, isMany }] of slots) {
    const count = files.filter(file => file.slot === slot).length;
    if (count === 0 && isRequired) throw new AppError('invalid-argument', `Choose a file for “${label}”.`);
    if (count > 1 && isMany !== true)
      throw new AppError('invalid-argument', `Choose one file for “${label}”.`);
  }
}

async function uploadedFile(
  trx: Kysely<Tables>,
  userId: string,
  url: string,
): Promise<{ fileId: string; name: string }> {
  const file = await trx
    .selectFrom('files')
    .select(['id as fileId', 'name'])
    .where('id', '=', fileIdAt(url) ?? '')
    .where('uploader_id', '=', userId)
    .where('path', 'like', `${importPrefix}%`)
    .executeTakeFirst();
  if (file === undefined)
    throw new AppError('not-found', 'An uploaded file is no longer there. Upload it again.');
  return file;
}

/** Begins an export. Throws already-exists while another transfer is open. */
export async function startExport(
  context: TransferContext,
  userId: string,
  format: ExportFormat,
): Promise<string> {
  return await inTransaction(context, async trx => {
    await context.requireRecentSignIn(trx);
    const id = await insertTransfer(trx, context, {
      kind: 'export',
      what: format,
      is_dry_run: false,
      files: '[]',
      user_id: userId,
    });
    await recordHistory(trx, context, { kind: 'export-made', thing: { id, name: exportNames[format] } });
    return id;
  });
}

async function insertTransfer(
  trx: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  row: Pick<TransferRow, 'kind' | 'what' | 'files' | 'user_id'> & { is_dry_run: boolean },
): Promise<string> {
  const inserted = await trx
    .insertInto('transfers')
    .values({ ...row, id: createId(), state: 'waiting', created_at: clock() })
    // Another transfer is open.
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted !== undefined) return inserted.id;
  throw new AppError(
    'already-exists',
    'Another import or export is in progress. Wait until it is done, or cancel it.',
  );
}

/**
 * Begins an import whose dry run has ended. Throws not-found, failed-precondition in any other state, and
 * invalid-argument for an author who may not write here.
 */
export async function startImport(
  context: TransferContext,
  userId: string,
  { transferId: id, opens, ...choices }: ImportChoices & { transferId: string; opens: boolean },
): Promise<void> {
  await inTransaction(context, async trx => {
    const { state, what } = await lockTransfer(trx, id);
    if (state !== 'checked') throw new AppError('failed-precondition', 'This import cannot be started now.');
    await context.requireRecentSignIn(trx);
    await requireWriters(trx, choices.authors);
    await trx
      .updateTable('transfers')
      .set({
        state: 'waiting',
        is_dry_run: false,
        is_opening: opens,
        choices: JSON.stringify(choices),
        user_id: userId,
        report: null,
        done: 0,
        attempts: 0,
        began_at: null,
      })
      .where('id', '=', id)
      .execute();
    const { name } = importSources[what as ImportSource];
    const { leavesTagsOut } = choices;
    await recordHistory(trx, context, {
      kind: 'import-started',
      thing: { id, name },
      ...{ opens, leavesTagsOut },
    });
  });
}

/** Throws invalid-argument for an account that may not write posts. */
async function requireWriters(trx: Kysely<Tables>, authors: ImportChoices['authors']): Promise<void> {
  const chosen = authors.flatMap(({ userId }) => userId ?? []);
  if (chosen.length === 0) return;
  const writers = new Set((await writersOf(trx)).map(({ id }) => id));
  if (!chosen.every(id => writers.has(id)))
    throw new AppError('invalid-argument', 'Somebody whom you chose is no longer an author. Choose again.');
}

/** Stops an open transfer, and deletes the files of any. Throws not-found. */
export async function endTransfer(context: TransferContext, id: string): Promise<void> {
  const row = await inTransaction(context, async trx => {
    const found = await lockTransfer(trx, id);
    await cancelling(trx, context, ['waiting', 'running', 'checked']).where('id', '=', id).execute();
    return found;
  });
  await removeFiles(context, row);
}

/** The query that cancels transfers in these states; the caller adds which. */
function cancelling(
  db: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  states: readonly TransferState[],
) {
  const cancelled = { state: 'cancelled', ended_at: clock(), lease: null, leased_until: null } as const;
  return db.updateTable('transfers').set(cancelled).where('state', 'in', states);
}

/**
 * Checks the right to download an export: an admin with a recent sign-in. Throws not-found, and
 * failed-precondition.
 */
export async function openExport(context: TransferContext, id: string): Promise<void> {
  await inTransaction(context, trx => exportIn(trx, context, id));
}

/** How long the requests of a session for one export count as one download, in seconds. */
const downloadSeconds = 10 * 60;

/**
 * Like {@link openExport}, and records the download: once, however many requests for parts of the file it
 * takes.
 */
export async function recordDownload(context: TransferContext, id: string, sessionId: string): Promise<void> {
  await inTransaction(context, async trx => {
    const { what } = await exportIn(trx, context, id);
    const download = `download of ${id} by ${sessionId}`;
    if (!(await markOnce({ db: trx, clock: context.clock }, download, downloadSeconds))) return;
    const name = exportNames[what as ExportFormat];
    await recordHistory(trx, context, { kind: 'export-downloaded', thing: { id, name } });
  });
}

async function exportIn(trx: Kysely<Tables>, context: TransferContext, id: string): Promise<TransferRow> {
  const row = await getTransfer(trx, id);
  if (row.made === null) throw new AppError('not-found', 'This export is no longer there.');
  await context.requireRecentSignIn(trx);
  return row;
}

async function lockTransfer(trx: Kysely<Tables>, id: string): Promise<TransferRow> {
  const query = trx.selectFrom('transfers').selectAll().where('id', '=', id);
  const row = await dialectOf(trx).forUpdate(query).executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', 'This import or export is no longer there.');
  return row;
}

/**
 * Deletes what was uploaded for a transfer that has ended, and what it made. First from the row, so that
 * nobody begins to download what is going.
 */
export async function removeFiles(
  context: Pick<TransferContext, 'db' | 'clock' | 'files'>,
  row: Pick<TransferRow, 'id' | 'files' | 'made_key'>,
): Promise<void> {
  await context.db
    .updateTable('transfers')
    .set({ files: '[]', made: null, made_key: null })
    .where('id', '=', row.id)
    .execute();
  await removeUnusedFiles(
    context,
    filesOf(row).map(file => file.fileId),
  );
  if (row.made_key !== null) await context.files.remove(row.made_key);
}

/**
 * Deletes earlier exports of this format, each of which is as large as the site. Later ones stay: a process
 * may call this long after its own was done.
 */
export async function removeEarlierExports(
  context: Pick<TransferContext, 'db' | 'clock' | 'files'>,
  { what, created_at }: Pick<TransferRow, 'what' | 'created_at'>,
): Promise<void> {
  const earlier = await context.db
    .selectFrom('transfers')
    .selectAll()
    .where('kind', '=', 'export')
    .where('what', '=', what)
    .where('created_at', '<', created_at)
    .where('made_key', 'is not', null)
    .execute();
  for (const row of earlier) await removeFiles(context, row);
}

/** How long a transfer that has ended stays in the list. */
const toldMs = 90 * dayMs;

/**
 * Ends imports that nobody has started for a day, deletes day-old exports, and removes the oldest transfers.
 */
export async function sweepTransfers(context: TransferContext): Promise<void> {
  const { db, clock } = context;
  const keptSince = clock() - transferLimits.keptHours * hourMs;
  // One that an admin starts at this moment continues.
  await cancelling(db, context, ['checked']).where('created_at', '<', keptSince).execute();
  const ended = await db
    .selectFrom('transfers')
    .selectAll()
    .where('ended_at', 'is not', null)
    .where(eb =>
      eb.or([
        eb('files', '!=', '[]'),
        eb.and([eb('made_key', 'is not', null), eb('ended_at', '<', keptSince)]),
      ]),
    )
    .execute();
  for (const row of ended) await removeFiles(context, row);
  await db
    .deleteFrom('transfers')
    .where('ended_at', '<', clock() - toldMs)
    .where('made_key', 'is', null)
    .execute();
}
