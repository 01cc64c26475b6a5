import type { Kysely } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import { ImportReport, Transfer } from '../../../contract/transfers.ts';
import type { ReadContext } from '../../access/context.ts';
import type { Config } from '../../config.ts';
import type { FileRow, ImportChoices, Tables, TransferFile, TransferRow } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { largestFile } from '../../files/uploads/largest.ts';
import { freeBytes } from '../../files/uploads/quota.ts';
import { writersOf } from '../import/authors.ts';

/** How many transfers are listed; older ones are not shown. */
const listed = 10;

/** The latest imports and exports, newest first, and the limits of new ones. */
export async function getTransfers({
  db,
  config,
  settings,
}: Pick<ReadContext, 'db' | 'settings'> & { config: Config }): Promise<Output<'getTransfers'>> {
  const rows = await db
    .selectFrom('transfers')
    .leftJoin('users', 'users.id', 'transfers.user_id')
    // Without the report, which can be long.
    .select([
      'transfers.id',
      'kind',
      'what',
      'state',
      'is_dry_run',
      'files',
      'done',
      'total',
      'made',
      'error',
    ])
    .select(['transfers.created_at', 'ended_at', 'attempts', 'users.display_username'])
    .orderBy('transfers.created_at', 'desc')
    .orderBy('transfers.id', 'desc')
    .limit(listed)
    .execute();
  const transfers = rows.map(row =>
    Transfer.parse({
      id: row.id,
      of:
        row.kind === 'import'
          ? { kind: 'import', source: row.what, isDryRun: Boolean(row.is_dry_run) }
          : { kind: 'export', format: row.what },
      state: row.state,
      done: row.done,
      total: row.total,
      interruptions: Math.max(0, row.attempts - 1),
      by: row.display_username,
      files: filesOf(row).map(file => file.name),
      error: row.error,
      made: row.made === null ? null : JSON.parse(row.made),
      createdAt: moment(row.created_at),
      endedAt: moment(row.ended_at),
    }),
  );
  const limits = {
    maxFileBytes: await largestFile({ settings }),
    freeBytes: await freeBytes({ db, config }),
  };
  return { transfers, limits };
}

export function filesOf({ files }: Pick<TransferRow, 'files'>): TransferFile[] {
  return JSON.parse(files);
}

export function choicesOf({ choices }: Pick<TransferRow, 'choices'>): Partial<ImportChoices> {
  return JSON.parse(choices ?? '{}');
}

/**
 * The result of an import or of its dry run; null while there is no report. With that of a dry run, those who
 * can be named as authors. Throws not-found.
 */
export async function getTransferReport(
  { db }: Pick<DbContext, 'db'>,
  id: string,
): Promise<Output<'getTransferReport'>> {
  const { report: text } = await getTransfer(db, id);
  const report = text === null ? null : ImportReport.parse(JSON.parse(text));
  return { report, writers: report?.isDryRun ? await writersOf(db) : [] };
}

/** Throws not-found. */
export async function getTransfer(db: Kysely<Tables>, id: string): Promise<TransferRow> {
  const row = await db.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', 'This import or export is no longer there.');
  return row;
}

/** The bytes of an export, in the form in which files are sent. */
type MadeFile = Pick<FileRow, 'id' | 'name' | 'type' | 'size' | 'digest' | 'variants'>;

const typeOf = (name: string) => {
  if (name.endsWith('.age')) return 'application/octet-stream';
  return name.endsWith('.tar') ? 'application/x-tar' : 'application/zip';
};

/** An export that can be downloaded. Throws not-found. */
export async function getMadeFile(db: Kysely<Tables>, id: string): Promise<MadeFile> {
  const { made, made_key: key } = await getTransfer(db, id);
  if (made === null || key === null) throw new AppError('not-found', 'This export is no longer there.');
  const { name, size } = JSON.parse(made) as { name: string; size: number };
  const type = typeOf(name);
  // The bytes under a key never change.
  return { id: key, name, type, size, digest: key, variants: null };
}
