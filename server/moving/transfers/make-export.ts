import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ExportFormat } from '../../../contract/transfers.ts';
import type { ReadContext } from '../../access/context.ts';
import { dayText } from '../../base/calendar.ts';
import { createId } from '../../base/id.ts';
import { countRows } from '../../db/count-rows.ts';
import type { TransferRow } from '../../db/tables.ts';
import { lacksMore, noteBackup } from '../archive/backup-state.ts';
import { endingOf } from '../archive/encryption.ts';
import { type ArchiveContext, type Exported, exportSite } from '../archive/export.ts';
import { exportMarkdownZip } from '../archive/markdown-targets.ts';
import { backupOf } from '../archive/schedule.ts';
import { archiveWith } from '../archive/source.ts';
import { verifyArchive } from '../archive/verify.ts';
import { type Held, localPath } from './local-files.ts';
import type { Progress } from './progress.ts';
import { removeEarlierExports } from './write.ts';

/** A transfer that this process holds. */
export type RunningTransfer = { row: TransferRow; held: Held; progress: Progress };

/** The dependencies of a transfer's process. */
export type TransferWork = ArchiveContext & ReadContext & { log: Logger; stopping: AbortSignal };

/** `exported`: the archive, once it was read back; absent for Markdown. */
type Made = { counts: { posts: number; files: number; missing: number }; exported?: Exported };

/**
 * Makes an export and stores it in the file store, where every process finds it, replacing the previous one
 * of its format.
 */
export async function makeExport(
  deps: TransferWork,
  { row, held, progress }: RunningTransfer,
): Promise<void> {
  const format = ExportFormat.parse(row.what);
  const path = localPath(deps.config, held, 'export');
  const { counts, exported } =
    format === 'archive' ? await makeArchive(deps, path, progress) : await makeZip(deps, path, progress);
  const { size } = await stat(path);
  const key = createId();
  await progress.check();
  await deps.files.put(key, path);
  const day = dayText(deps.clock(), (await deps.settings()).timeZone);
  const name =
    format === 'archive' ? `coterie-${day}${endingOf(deps.config.archiveEncryption)}` : `posts-${day}.zip`;
  try {
    await progress.end({ state: 'done', made_key: key, made: JSON.stringify({ name, size, ...counts }) });
  } catch (error) {
    await deps.files.remove(key);
    throw error;
  }
  // An export that lacks more files than the last backup does not count as one; the page of exports says how
  // many it lacks.
  if (exported !== undefined && (await lacksMore(deps.db, exported.manifest)) === undefined) {
    const kept = { name, where: null, bytes: size, verifiedAt: deps.clock() };
    await noteBackup(deps.db, { exported: backupOf(exported, kept) });
  }
  await removeEarlierExports(deps, row);
}

/**
 * Writes the archive, the first half of the progress, and reads it back, like every archive: the second half.
 */
async function makeArchive(deps: TransferWork, path: string, progress: Progress): Promise<Made> {
  const exported = await exportSite(deps, path, {
    stopping: deps.stopping,
    onProgress: ({ done, total }) => progress.store({ done, total: 2 * total }),
  });
  const { size } = await stat(path);
  const source = archiveWith(path, exported.key);
  await verifyArchive({
    ...source,
    open: async function* () {
      let read = 0;
      for await (const chunk of source.open()) {
        read += chunk.length;
        await progress.store({ done: Math.min(size + read, 2 * size), total: 2 * size });
        yield chunk;
      }
    },
  });
  const { kinds, files, missing } = exported.manifest;
  const counts = { posts: kinds.posts?.rows ?? 0, files: files.count, missing: missing.length };
  return { counts, exported };
}

async function makeZip(deps: TransferWork, path: string, progress: Progress): Promise<Made> {
  const total = await countRows(deps.db.selectFrom('posts'));
  const result = await exportMarkdownZip(deps, path, {
    stopping: deps.stopping,
    onPost: done => progress.store({ done, total }),
  });
  return { counts: { posts: result.posts, files: result.files, missing: result.missing.length } };
}
