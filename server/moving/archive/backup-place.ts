import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dayMs } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { makeFolder } from '../../db/data-folder.ts';
import { FolderMarker } from '../../db/folder-marker.ts';
import type { DbContext } from '../../db/transaction.ts';
import { removeAbandoned } from '../../files/store/disk.ts';
import { folderStore } from '../../files/store/folder-store.ts';
import { type FileStore, openFileStore } from '../../files/store/store.ts';

type Placed = Pick<Config, 'backupUrl' | 'dataDir'>;

/** The last backup that was read back, and its place. */
type Last = { where: string | null; name: string } | null;

const isStore = (url: string | undefined): url is string => url?.startsWith('s3://') === true;

/**
 * Opens the place of scheduled backups. Throws an outage for a folder that is not the one that the site has
 * marked and that lacks the last backup.
 */
export async function openBackupPlace(
  { db, clock, config }: DbContext & { config: Config },
  last: Last,
): Promise<FileStore> {
  const { backupUrl, dataDir } = config;
  if (isStore(backupUrl)) return await openFileStore({ filesUrl: backupUrl, dataDir }, db);
  const folder = folderOf({ backupUrl, dataDir });
  const marker = new FolderMarker(db, { kind: 'backups', path: folder });
  await marker.mark(async (_, wasMarked) => {
    if (!wasMarked) await makeFolder(folder);
    return !wasMarked || (last?.where === folder && existsSync(join(folder, last.name)));
  });
  await removeAbandoned(folder, clock() - dayMs);
  return folderStore(folder, () => marker.require());
}

/** The same in words, without the keys of a store. */
export function placeOf(config: Placed): string {
  const { backupUrl } = config;
  if (!isStore(backupUrl)) return folderOf(config);
  const { host, pathname } = new URL(backupUrl);
  return `s3://${host}${pathname}`;
}

function folderOf({ backupUrl, dataDir }: Placed): string {
  return resolve(backupUrl ?? join(dataDir, 'backups'));
}
