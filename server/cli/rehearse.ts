import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { restoreSite } from '../archive/restore.ts';
import type { ArchiveSource } from '../archive/source.ts';
import { readConfig } from '../config.ts';
import { openDatabase } from '../db/connect.ts';
import { openFileStore } from '../files/store.ts';
import { examine, type Finding } from './examine.ts';

/**
 * Restores an archive into a folder beside it, on SQLite, and examines the site that it makes; nothing of it stays. Returns
 * what is broken. Throws as {@link restoreSite}.
 */
export async function rehearse(archive: ArchiveSource): Promise<Finding[]> {
  const dataDir = await mkdtemp(join(dirname(archive.name), '.rehearsal-'));
  // The settings of the site do not apply: neither its store nor its database is used.
  const config = readConfig({ DATA_DIR: dataDir });
  try {
    await restoreSite(config, archive);
    const files = await openFileStore(config);
    const { db, close } = await openDatabase(config, 'nothing');
    return await examine({ db, files }).finally(close);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
