import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';
import { openBare } from '../db/connect.ts';
import { makeFolder } from '../db/data-folder.ts';
import { postgresPlace } from '../db/postgres.ts';
import { readSetting } from '../db/setting.ts';
import { listTables } from '../db/table-columns.ts';
import { isKey } from '../files/address.ts';
import { openFileStore } from '../files/store.ts';
import type { Manifest } from './format.ts';
import { siteOf } from './site.ts';

/** Where a restore works, and where the site will be. */
export type Place = {
  /** A folder within the data folder, because that may be a volume, or all that this user may write to. */
  work: string;
  target: string;
  /** Takes away what has been written. */
  giveUp(): Promise<void>;
  /** Takes away what the restore needed. */
  leave(): Promise<void>;
};

/** What a data folder may hold and still be empty: earlier backups, and what a volume comes with. */
const notOfSite = ['backups', 'lost+found'];
const workName = '.restore';

/**
 * Takes an empty place for a restore: the data folder, the database, the store of files. A note in the folder says that
 * they were empty, so that one that was killed can begin again. Throws failed-precondition where they are not.
 */
export async function takePlace(
  config: Config,
  { site }: Manifest,
  isForced: boolean,
): Promise<Place | 'restored already'> {
  const target = resolve(config.dataDir);
  const work = join(target, workName);
  const note = join(work, 'note.txt');
  const place: Place = {
    work,
    target,
    giveUp: async () => {
      if (!isForced && config.filesUrl !== undefined) await emptyStore(config);
      await rm(join(target, 'files'), { recursive: true, force: true });
      await rm(work, { recursive: true, force: true });
    },
    leave: async () => await rm(work, { recursive: true, force: true }),
  };
  await makeFolder(target);
  if (await exists(note)) {
    const restored = await siteThere(config);
    if (restored === undefined) {
      await clear(place, 'note.txt');
      return place;
    }
    await place.leave();
    if (restored === site) return 'restored already';
  }
  await refuseUsed(config, target, isForced);
  await mkdir(work, { recursive: true });
  await writeFile(
    note,
    'A restore is under way, or was killed. Run it again, or delete this folder and the files beside it.\n',
  );
  return place;
}

/** Removes what a killed restore has left, but for the note, which says that it may be removed. */
async function clear({ work, target }: Place, note: string): Promise<void> {
  for (const name of await readdir(work)) {
    if (name !== note) await rm(join(work, name), { recursive: true, force: true });
  }
  await rm(join(target, 'files'), { recursive: true, force: true });
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

/** The id of the site in a place, the same as in its archives; undefined where there is none. */
async function siteThere(config: Config): Promise<string | undefined> {
  if (config.databaseUrl === undefined && !(await exists(join(config.dataDir, 'coterie.db'))))
    return undefined;
  const { db, close } = openBare(config);
  try {
    if ((await listTables(db)).length === 0) return undefined;
    const secret = await db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'secret')
      .executeTakeFirst();
    return secret === undefined ? '' : siteOf(secret.value);
  } finally {
    await close();
  }
}

async function holdsTables(config: Config): Promise<boolean> {
  const { db, close } = openBare(config);
  return await listTables(db)
    .then(tables => tables.length > 0)
    .finally(close);
}

async function holdsFiles(config: Config): Promise<boolean> {
  for await (const { key } of (await openFileStore(config)).list()) if (isKey(key)) return true;
  return false;
}

async function emptyStore(config: Config): Promise<void> {
  const store = await openFileStore(config);
  for await (const { key } of store.list()) if (isKey(key)) await store.remove(key);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
