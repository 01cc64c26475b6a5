import { join, resolve } from 'node:path';
import { dayMs } from '../clock.ts';
import type { Config } from '../config.ts';
import { makeFolder } from '../db/data-folder.ts';
import { removeAbandoned } from '../files/disk.ts';
import { folderStore } from '../files/folder-store.ts';
import { type FileStore, openFileStore } from '../files/store.ts';

type Placed = Pick<Config, 'backupUrl' | 'dataDir'>;

const isStore = (url: string | undefined): url is string => url?.startsWith('s3://') === true;

/** Where the backups of the schedule are kept. */
export async function openBackupPlace({ backupUrl, dataDir }: Placed): Promise<FileStore> {
  if (isStore(backupUrl)) return await openFileStore({ filesUrl: backupUrl, dataDir });
  const folder = folderOf({ backupUrl, dataDir });
  await makeFolder(folder);
  await removeAbandoned(folder, Date.now() - dayMs);
  return folderStore(folder);
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
