import { basename } from 'node:path';
import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { type ImportSource, slotsOf } from '../../../contract/transfer-sources.ts';
import { viewerOfUser } from '../../access/viewer.ts';
import { isOutage } from '../../db/outage.ts';
import type { Tables, TransferRow } from '../../db/tables.ts';
import { type DbContext, unguarded } from '../../db/transaction.ts';
import { stage } from '../../files/uploads/staging.ts';
import { keyOf } from '../import/authors.ts';
import type { Source } from '../import/draft.ts';
import type { ImportContext } from '../import/post-files.ts';
import { addToReport, emptyReport, type ImportReport } from '../import/report.ts';
import { type ImportOptions, runImport } from '../import/run.ts';
import { type Held, localPath } from './local-files.ts';
import { makeExport, type RunningTransfer, type TransferWork } from './make-export.ts';
import { Progress, RightsLost, Stopped } from './progress.ts';
import { choicesOf, filesOf, getTransfer } from './read.ts';
import { openSource, type SourceFile } from './source.ts';
import { removeFiles } from './write.ts';

const unexpected = 'Something went wrong that was not foreseen. The log of the server has more.';

/**
 * Runs a transfer that this process holds by `lease`, until its row says how it ended. If it is stopped by
 * `stopping`, the row stays unchanged, so that another process can continue. Throws an outage.
 */
export async function runTransfer(deps: TransferWork, held: Held): Promise<void> {
  const { id } = held;
  const progress = new Progress(deps, held);
  try {
    const row = await getTransfer(deps.db, id);
    const by = await actorOf(deps, row);
    const running = { row, held, progress };
    if (row.kind === 'import') await importFiles(deps, by, running);
    else await makeExport(deps, running);
  } catch (error) {
    if (error instanceof Stopped || deps.stopping.aborted) return;
    if (isOutage(error)) throw error;
    const isForPeople = error instanceof AppError || error instanceof RightsLost;
    if (!isForPeople) deps.log.error({ err: error, id }, 'a transfer failed');
    const isHeld = await progress
      .end({ state: 'failed', error: isForPeople ? error.message : unexpected })
      .then(() => true, whenStopped);
    if (isHeld) await removeFiles(deps, await getTransfer(deps.db, id));
  }
}

function whenStopped(error: unknown): false {
  if (error instanceof Stopped) return false;
  throw error;
}

async function importFiles(
  deps: TransferWork,
  by: Awaited<ReturnType<typeof actorOf>>,
  running: RunningTransfer,
): Promise<void> {
  const { row, progress } = running;
  const isDryRun = Boolean(row.is_dry_run);
  const files = await localFiles(deps, running);
  const { timeZone } = await deps.settings();
  try {
    const source = await openSource(row.what, files, timeZone);
    // Starting it required a recent sign-in.
    const holdRights = (trx: Kysely<Tables>) => progress.hold(trx, by.user.id);
    const context = { ...deps, ...unguarded, by, holdRights };
    const { leavesTagsOut, authors = [] } = choicesOf(row);
    const byName = new Map(authors.map(({ name, userId }) => [keyOf(name), userId]));
    const isOpening = Boolean(row.is_opening);
    const options = {
      ...{ authorId: by.user.id, authors: { byName, others: null } },
      ...{ isDryRun, isOpening, leavesTagsOut, makesNoAdmins: true },
    };
    const report = await importAll(context, source, options, at => progress.store(at));
    const text = withoutOptions(JSON.stringify(withNames(report, files)), row.what as ImportSource);
    await progress.end({ state: isDryRun ? 'checked' : 'done', report: text });
  } catch (error) {
    if (error instanceof AppError && !isOutage(error))
      throw new AppError(error.code, withNames(error.message, files));
    throw error;
  }
  if (!isDryRun) await removeFiles(deps, row);
}

/**
 * Imports a source, and reports progress after each item. Returns the report, with `maxLines` of each kind.
 */
export async function importAll(
  context: ImportContext,
  source: Source,
  options: ImportOptions,
  onProgress: (progress: { done: number; total: number | undefined }) => Promise<void> | void,
  maxLines?: number,
): Promise<ImportReport> {
  const report = emptyReport(options.isDryRun, source.leftBehind);
  let done = 0;
  for await (const item of runImport(context, source, options)) {
    addToReport(report, item, maxLines);
    done += 1;
    await onProgress({ done, total: source.total });
  }
  await onProgress({ done, total: source.total });
  return report;
}

/** The files of an import, copied to this process's disk: archives are read at any position. */
async function localFiles(
  { config, files }: TransferWork,
  { row, held, progress }: RunningTransfer,
): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  for (const [index, { slot, fileId, name }] of filesOf(row).entries()) {
    // No such name is a prefix of another one, which `withNames` would replace inside it.
    const path = localPath(config, held, `${index}.import`);
    await stage(path, files.read(fileId), Number.POSITIVE_INFINITY);
    found.push({ slot, name, path });
    await progress.check();
  }
  return found;
}

/** A source's error with the names of the uploaded files in place of their paths on this disk. */
function withNames<T>(report: T, files: readonly SourceFile[]): T {
  let text = JSON.stringify(report);
  const quoted = (value: string) => JSON.stringify(value).slice(1, -1);
  for (const { path, name } of files) {
    // By functions: in a replacement text, a `$` in a name would have a meaning.
    for (const at of [path, basename(path)]) text = text.replaceAll(quoted(at), () => quoted(name));
  }
  return JSON.parse(text);
}

/** A report that names fields of the form in place of options of the command line, such as `--media`. */
function withoutOptions(report: string, source: ImportSource): string {
  return slotsOf(source).reduce(
    (text, [slot, { label }]) =>
      text.replaceAll(`(--${slot})`, `(choose it under “${label}” and check the files again)`),
    report,
  );
}

/**
 * The person who began the transfer, as the history of rights names them. Throws {@link RightsLost} if they
 * are no longer an admin.
 */
async function actorOf({ db }: Pick<DbContext, 'db'>, { user_id }: TransferRow) {
  const { user, role } = await viewerOfUser(db, user_id ?? '', new Set());
  if (user === null || role !== 'admin') throw new RightsLost();
  const { id, username } = user;
  return { user: { id, username }, via: 'import', viaName: null, address: null } as const;
}
