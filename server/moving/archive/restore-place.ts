import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import type { Config } from '../../config.ts';
import { openBare } from '../../db/connect.ts';
import { makeFolder } from '../../db/data-folder.ts';
import { postgresPlace } from '../../db/postgres.ts';
import { readSetting } from '../../db/setting.ts';
import { listTables } from '../../db/table-columns.ts';
import { isKey } from '../../files/address.ts';
import { openFileStore } from '../../files/store/store.ts';
import { type Manifest, siteOf } from './format.ts';

/** The folder in which a restore works, and the place of the new site. */
export type Place = {
  /**
   * A folder within the data folder, because that may be a volume, or the only place that this user may write
   * to.
   */
  work: string;
  target: string;
  /** Removes what has been written. */
  giveUp(): Promise<void>;
  /** Removes what only the restore needed. */
  leave(): Promise<void>;
};

/**
 * What an empty data folder may contain: earlier backups, compiled code, and the contents of a new volume.
 */
const notOfSite = ['backups', 'compiled', 'lost+found'];
const workName = '.restore';
/** Records that the place was empty when the restore began, so that its contents may be removed. */
const noteName = 'note.txt';

/**
 * Claims an empty place for a restore: the data folder, the database, the store of files. A note in the
 * folder says that they were empty, so that a killed restore can begin again. Throws failed-precondition if
 * they are not empty.
 */
export async function takePlace(
  config: Config,
  { site }: Manifest,
  isForced: boolean,
): Promise<Place | 'restored already'> {
  const target = resolve(config.dataDir);
  const work = join(target, workName);
  const note = join(work, noteName);
  const place: Place = {
    work,
    target,
    giveUp: async () => {
      if (!isForced && config.filesUrl !== undefined) await emptyStore(config);
      await rm(join(target, 'files'), { recursive: true, force: true });
      await place.leave();
    },
    leave: async () => {
      await clearWork(work);
      await rm(work, { recursive: true, force: true });
    },
  };
  await makeFolder(target);
  if (existsSync(note)) {
    const restored = await siteThere(config);
    if (restored === undefined) {
      await clearWork(work);
      await rm(join(target, 'files'), { recursive: true, force: true });
      return place;
    }
    await place.leave();
    if (restored === site) return 'restored already';
  }
  // A restore killed before the note was written, or after it was removed, has left the folder empty.
  await rmdir(work).catch(() => {});
  await refuseUsed(config, target, isForced);
  await mkdir(work, { recursive: true });
  await writeFile(
    note,
    'A restore is under way, or was killed. Run it again, or delete this folder and the files beside it.\n',
  );
  return place;
}

/**
 * Removes everything that a restore left in its folder except the note: as long as anything is there, the
 * note explains it.
 */
async function clearWork(work: string): Promise<void> {
  for (const name of await readdir(work)) {
    if (name !== noteName) await rm(join(work, name), { recursive: true, force: true });
  }
}

async function refuseUsed(config: Config, target: string, isForced: boolean): Promise<void> {
  const present = (await readdir(target)).filter(name => ![...notOfSite, workName].includes(name));
  if (present.length > 0) {
    throw new AppError(
      'failed-precondition',
      `${target} is not empty: it holds ${present[0]}. Nothing was changed. To bring a backup back in its place, move it away first.`,
    );
  }
  if (config.databaseUrl !== undefined && (await holdsTables(config))) {
    throw new AppError(
      'failed-precondition',
      `${postgresPlace(config.databaseUrl)} is not empty. Nothing was changed. Name an empty one in DATABASE_URL.`,
    );
  }
  if (config.filesUrl !== undefined && !isForced && (await holdsFiles(config))) {
    throw new AppError(
      'failed-precondition',
      'The store of FILES_URL holds files already, perhaps those of a site that is still in use: this one would write to it and ' +
        'delete from it. Nothing was changed. To try a backup, restore it in a folder without a .env file; to bring the ' +
        "store's own site back, add --force.",
    );
  }
}

/** The id of the site in a place, the same as in its archives; undefined for none. */
async function siteThere(config: Config): Promise<string | undefined> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'coterie.db'))) return undefined;
  await using db = openBare(config);
  if ((await listTables(db)).length === 0) return undefined;
  const secret = await readSetting(db, 'secret');
  return secret === undefined ? '' : siteOf(secret);
}

async function holdsTables(config: Config): Promise<boolean> {
  await using db = openBare(config);
  return (await listTables(db)).length > 0;
}

async function holdsFiles(config: Config): Promise<boolean> {
  for await (const { key } of (await openFileStore(config, null)).list()) if (isKey(key)) return true;
  return false;
}

async function emptyStore(config: Config): Promise<void> {
  const store = await openFileStore(config, null);
  for await (const { key } of store.list()) if (isKey(key)) await store.remove(key);
}
