import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { readConfig } from '../config.ts';
import { freeIn } from '../files/store/free-space.ts';
import { restoreSite } from '../moving/archive/restore.ts';
import type { ArchiveSource } from '../moving/archive/source.ts';
import type { Verified } from '../moving/archive/verify.ts';
import { examineSite, type Finding } from './examine.ts';

/**
 * What a row takes in a database with its indexes, and while it is written: so many times its line in an
 * archive.
 */
const timesLine = 4;

const mib = (bytes: number) => Math.ceil(bytes / 1024 / 1024);

function requireRoom({ manifest, rowBytes }: Verified, free: number): void {
  const needed = manifest.files.bytes + timesLine * rowBytes;
  if (needed <= free) return;
  throw new AppError(
    'resource-exhausted',
    `The rehearsal needs about ${mib(needed)} MiB beside the archive, and ${mib(free)} MiB are free there.`,
  );
}

/**
 * Restores an archive into a folder beside it, on SQLite, and examines the site that it makes; nothing of it
 * stays. Returns what is broken. Throws as {@link restoreSite}, and resource-exhausted where the disk has no
 * room for it.
 */
export async function rehearse(archive: ArchiveSource, roomIn = freeIn): Promise<Finding[]> {
  const dataDir = await mkdtemp(join(dirname(archive.name), '.rehearsal-'));
  // The settings of the site do not apply: neither its store nor its database is used.
  const config = readConfig({ DATA_DIR: dataDir });
  try {
    await restoreSite(config, archive, {
      requireRoom: async verified => requireRoom(verified, await roomIn(dataDir)),
    });
    return await examineSite(config);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
