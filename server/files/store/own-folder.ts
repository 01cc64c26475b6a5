import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { FolderMarker } from '../../db/folder-marker.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { ownKey } from '../variant.ts';
import { anyFolder, folderStore } from './folder-store.ts';
import { type FileStore, filesFolder } from './store.ts';

/** This many of the oldest and of the newest files are looked for in a folder without a marker. */
const lookedFor = 20;

/**
 * Marks the folder of the files as this site's. A folder without a marker is accepted if it matches the
 * database. Throws an outage if it does not: a volume may not be mounted.
 */
export async function markFilesFolder({
  db,
  config,
  log,
}: Pick<DbContext, 'db'> & { config: Config; log: Logger }) {
  const path = filesFolder(config);
  if (path === undefined) return;
  const store = folderStore(path, anyFolder);
  await new FolderMarker(db, { kind: 'files', path }).mark(async (trx, wasMarked) => {
    const oldest = await isAnyThere(trx, store, 'asc');
    const newest = await isAnyThere(trx, store, 'desc');
    if (oldest === undefined || newest === undefined) return !wasMarked;
    if (oldest && newest) return true;
    if (wasMarked || oldest === newest) return false;
    log.warn({ path }, 'files of this site are missing: its folder gets no marker, so it is not watched');
    return undefined;
  });
}

/** Whether any of the oldest or newest files is in the store; undefined if the site has none. */
async function isAnyThere(
  db: Kysely<Tables>,
  files: FileStore,
  order: 'asc' | 'desc',
): Promise<boolean | undefined> {
  const rows = await db
    .selectFrom('files')
    .select(['id', 'size', 'variants'])
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(lookedFor)
    .execute();
  if (rows.length === 0) return undefined;
  for (const row of rows) if ((await files.size(ownKey(row))) === row.size) return true;
  return false;
}
