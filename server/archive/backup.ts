import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { sql } from 'kysely';
import { packTar, type TarSource, unpackTar } from 'modern-tar/fs';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';
import { makeFolder } from '../db/data-folder.ts';
import type { Deps } from '../deps.ts';
import { listKeys } from '../files/read.ts';
import { type FileStore, openFileStore } from '../files/store.ts';

/** Folders of the data folder that belong to the site; the rest (backups, temporary files) does not. */
const kept = ['files', 'mail'];

/**
 * Saves the whole site to one archive while it runs, files in an S3 store included, and returns the archive's path.
 * Throws failed-precondition on PostgreSQL, with what to do there; already-exists for a file that is there.
 */
export async function backUp(
  { db, config, files }: Pick<Deps, 'db' | 'config' | 'files'>,
  file?: string,
): Promise<string> {
  if (config.databaseUrl !== undefined) {
    throw new AppError(
      'failed-precondition',
      'This site keeps its data in PostgreSQL. Save it with `pg_dump --format=custom "$DATABASE_URL" > coterie.dump` ' +
        `first, then copy the folder ${resolve(config.dataDir)}` +
        `${config.filesUrl === undefined ? '' : ' and the bucket of FILES_URL'}.`,
    );
  }
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const target = resolve(file ?? join(config.dataDir, 'backups', `coterie-${stamp}.tar.gz`));
  if (await exists(target)) throw new AppError('already-exists', `${target} exists already.`);
  await makeFolder(dirname(target));
  const unfinished = `${target}.unfinished`;
  // In the data folder, so that files can be linked instead of copied: they are never changed in place.
  const snapshot = await mkdtemp(join(config.dataDir, '.backup-'));
  const linkFiles = async () => {
    for (const name of kept) await linkFolder(join(config.dataDir, name), join(snapshot, name));
  };
  try {
    // Before, for files that go meanwhile; after, for those that come: the database names no others.
    await linkFiles();
    await sql`vacuum into ${join(snapshot, 'coterie.db')}`.execute(db);
    await linkFiles();
    await pipeline(
      packTar([
        { type: 'directory', source: snapshot, target: '.' },
        ...(config.filesUrl === undefined ? [] : await storedFiles(db, files)),
      ]),
      createGzip(),
      createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }),
    );
    await rename(unfinished, target);
  } finally {
    await rm(snapshot, { recursive: true, force: true });
    await rm(unfinished, { force: true });
  }
  return target;
}

/** What a data folder may hold and still be empty: earlier backups, and what a volume comes with. */
const notOfSite = ['backups', 'lost+found'];

/**
 * Brings an archive of {@link backUp} back. Throws failed-precondition for a data folder that is not empty, and for a
 * store that holds files already unless `isForced`; invalid-argument for what is no whole backup. Then nothing was changed.
 */
export async function restore(config: Config, file: string, { isForced = false } = {}): Promise<void> {
  const { dataDir, databaseUrl, filesUrl } = config;
  if (databaseUrl !== undefined) {
    throw new AppError(
      'failed-precondition',
      'This site keeps its data in PostgreSQL: use `pg_restore --dbname "$DATABASE_URL" coterie.dump`, and copy the data folder back.',
    );
  }
  if (!(await exists(file))) throw new AppError('not-found', `There is no file ${file}.`);
  const target = resolve(dataDir);
  await makeFolder(target);
  const present = (await readdir(target)).filter(name => !notOfSite.includes(name));
  if (present.length > 0) {
    throw new AppError(
      'failed-precondition',
      `${target} is not empty: it holds ${present[0]}. Nothing was changed. To bring a backup back in its place, move it away first.`,
    );
  }
  const store = filesUrl === undefined ? undefined : await openFileStore(config);
  if (store !== undefined && !isForced && (await holdsFiles(store))) {
    throw new AppError(
      'failed-precondition',
      'The store of FILES_URL holds files already, perhaps those of a site that is still in use: this one would write to it and ' +
        'delete from it. Nothing was changed. To try a backup, restore it in a folder without a .env file; to bring the ' +
        "store's own site back, add --force.",
    );
  }
  // Aside first, so that an archive cut short leaves nothing that looks like a site; and inside, because the folder may
  // be a volume, or all that this user may write to.
  const folder = await mkdtemp(join(target, '.restore-'));
  try {
    await pipeline(createReadStream(file), createGunzip(), unpackTar(folder)).catch((error: Error) => {
      throw new AppError('invalid-argument', `${file} is not a whole backup: ${error.message}`);
    });
    if (!(await exists(join(folder, 'coterie.db')))) {
      throw new AppError('invalid-argument', `${file} is not a backup of Coterie.`);
    }
    if (store !== undefined) await storeFiles(store, join(folder, 'files'));
    // The database last: with it there is a site.
    const parts = (await readdir(folder)).filter(name => name !== 'coterie.db');
    for (const name of [...parts, 'coterie.db']) await rename(join(folder, name), join(target, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function holdsFiles(files: FileStore): Promise<boolean> {
  for await (const _ of files.list()) return true;
  return false;
}

/** What lies in a store beside the data folder, each as it comes out of it: nothing is kept in between. */
async function storedFiles(db: Deps['db'], files: FileStore): Promise<TarSource[]> {
  const sources: TarSource[] = [];
  for (const { key, size } of await listKeys(db)) {
    // Deleted a moment ago: the archive's database may name it, `coterie doctor` says so.
    if ((await files.size(key)) !== size) continue;
    const target = `files/${key}`;
    if (size === 0) {
      sources.push({ type: 'content', content: '', target });
      continue;
    }
    const content = Readable.from(copies(files.read(key)), { objectMode: false });
    sources.push({ type: 'stream', content, target, size });
  }
  return sources;
}

/** A stream reads ahead, and a store uses its memory again. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}

async function storeFiles(files: FileStore, folder: string): Promise<void> {
  if (!(await exists(folder))) return;
  for (const key of await readdir(folder)) await files.put(key, join(folder, key));
  await rm(folder, { recursive: true });
}

async function linkFolder(source: string, target: string): Promise<void> {
  if (!(await exists(source))) return;
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await linkFolder(from, to);
    else if (entry.isFile() && !entry.name.endsWith('.unfinished') && !entry.name.startsWith('.')) {
      await link(from, to).catch((error: NodeJS.ErrnoException) => {
        // There from the first round, or gone since it was listed.
        if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
      });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
