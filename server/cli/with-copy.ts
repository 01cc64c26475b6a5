import { dirname, join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { type Config, readConfig } from '../config.ts';
import { freeIn } from '../files/store/free-space.ts';
import { restoreSite } from '../moving/archive/restore.ts';
import type { ArchiveSource } from '../moving/archive/source.ts';
import type { Verified } from '../moving/archive/verify.ts';
import { examineSite, type Finding } from './examine.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/**
 * How many times its line in an archive a row takes in a database, with its indexes and while it is written.
 */
const timesLine = 4;

type CopyOptions = {
  /** A prefix of the folder's name that `removeAbandoned` recognises. */
  prefix: '.rehearsal-' | '.upgrade-';
  /** How many copies of the database there will be. */
  databases: number;
  roomIn?: ((folder: string) => Promise<number>) | undefined;
};

/**
 * Restores an archive into a folder beside it, on SQLite, and calls `use` with the settings of that copy,
 * which has neither the site's store nor its database. Its data folder is alone in its parent, where `use`
 * may add more; all of it is deleted afterwards. Throws as {@link restoreSite} does, and resource-exhausted
 * if the disk is too full.
 */
export async function withCopy<T>(
  archive: ArchiveSource,
  { prefix, databases, roomIn = freeIn }: CopyOptions,
  use: (copy: Config) => Promise<T>,
): Promise<T> {
  return await withTemporaryFolder(join(dirname(archive.name), prefix), async folder => {
    const copy = readConfig({ DATA_DIR: join(folder, 'site') });
    await restoreSite(copy, archive, {
      requireRoom: async verified => requireRoom(verified, databases, await roomIn(folder)),
    });
    return await use(copy);
  });
}

function requireRoom({ manifest, rowBytes }: Verified, databases: number, free: number): void {
  const needed = manifest.files.bytes + databases * timesLine * rowBytes;
  if (needed <= free) return;
  throw new AppError(
    'resource-exhausted',
    `A copy of the site needs about ${mib(needed)} MiB beside the archive, and ${mib(free)} MiB are free there.`,
  );
}

const mib = (bytes: number) => Math.ceil(bytes / 1024 / 1024);

/**
 * Restores an archive into a folder beside it and examines the resulting site, which is then deleted. Returns
 * what is broken. Throws as {@link withCopy} does.
 */
export async function rehearse(
  archive: ArchiveSource,
  roomIn?: (folder: string) => Promise<number>,
): Promise<Finding[]> {
  return await withCopy(archive, { prefix: '.rehearsal-', databases: 1, roomIn }, examineSite);
}
