import { createWriteStream, existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import { type Clock, dayMs, stampOf } from '../../base/clock.ts';
import { createId } from '../../base/id.ts';
import type { ArchiveEncryption, Config } from '../../config.ts';
import { makeFolder } from '../../db/data-folder.ts';
import { FolderMarker } from '../../db/folder-marker.ts';
import { appliedMigrations } from '../../db/migrate.ts';
import { withSnapshot } from '../../db/snapshot.ts';
import type { DbContext } from '../../db/transaction.ts';
import { holdDeletions } from '../../files/store/deletion-hold.ts';
import { flush, removeAbandoned } from '../../files/store/disk.ts';
import type { FileStore } from '../../files/store/store.ts';
import { ArchiveWriter, lineOf } from './archive-writer.ts';
import { type Encrypting, encrypting, endingOf, type FileKey } from './encryption.ts';
import { formatVersion, type Manifest, manifestName, siteOf } from './format.ts';
import { bytesOf, seal } from './seal.ts';
import { keysOf, workOf, writeFiles } from './stored-files.ts';
import { archivedTables } from './tables.ts';

export type ArchiveContext = DbContext & { config: Config; files: FileStore; secret: string };

type ExportOptions = {
  /** Aborts the export: then it throws, and leaves nothing. */
  stopping?: AbortSignal;
  /** Called now and then with the progress. If it throws, the export ends. */
  onProgress?: (progress: { done: number; total: number }) => Promise<void>;
  /** Its encryption; by default that of the settings. */
  encryption?: ArchiveEncryption | undefined;
};

/** The written archive, and the key that reads it back if it is encrypted. */
export type Exported = {
  path: string;
  manifest: Manifest;
  encryption: ArchiveEncryption | undefined;
  key: FileKey | undefined;
};

/**
 * Writes the whole site, as it is at one moment, to one archive while it runs (docs/archive.md), by default
 * to `backups` in the data folder. The file gets its name once it is complete. Throws already-exists for an
 * existing file, and an outage for a folder of backups whose volume is not mounted.
 */
export async function exportSite(
  deps: ArchiveContext,
  file?: string,
  options: ExportOptions = {},
): Promise<Exported> {
  const { config, clock } = deps;
  const { encryption = config.archiveEncryption } = options;
  const lock = encryption && (await encrypting(encryption));
  const path = resolve(
    file ?? join(config.dataDir, 'backups', `coterie-${stampOf(clock())}${endingOf(encryption)}`),
  );
  await new FolderMarker(deps.db, { kind: 'backups', path: dirname(path) }).require();
  const manifest = await writeWhole(path, clock, unfinished => writeArchive(deps, unfinished, lock, options));
  return { path, manifest, encryption, key: lock?.key };
}

/**
 * Lets `write` make a new file, which gets its name once it is complete and on the disk. Throws
 * already-exists for an existing file.
 */
export async function writeWhole<T>(
  path: string,
  clock: Clock,
  write: (unfinished: string) => Promise<T>,
): Promise<T> {
  if (existsSync(path)) throw new AppError('already-exists', `${path} exists already.`);
  await makeFolder(dirname(path));
  await removeUnfinished(path);
  await removeAbandoned(dirname(path), clock() - dayMs);
  const unfinished = `${path}.${createId()}.unfinished`;
  try {
    const made = await write(unfinished);
    await flush(unfinished);
    await rename(unfinished, path);
    await flush(dirname(path));
    return made;
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function writeArchive(
  deps: ArchiveContext,
  path: string,
  lock: Encrypting | undefined,
  { stopping: signal, onProgress = async () => {} }: ExportOptions,
): Promise<Manifest> {
  const writer = new ArchiveWriter();
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const encrypted = lock?.encrypt ?? (chunks => chunks);
  // The first of the two to fail makes the other fail, too.
  let failure: unknown;
  const fail = (error: Error) => {
    failure ??= error;
    writer.tar.destroy(error);
  };
  const [manifest] = await Promise.all([
    writeAll(deps, writer, onProgress).catch(fail),
    pipeline(bytesOf(writer.tar), seal, encrypted, target, { signal }).catch(fail),
  ]);
  if (failure !== undefined || manifest === undefined) throw failure;
  return manifest;
}

async function writeAll(
  deps: ArchiveContext,
  writer: ArchiveWriter,
  onProgress: NonNullable<ExportOptions['onProgress']>,
): Promise<Manifest> {
  const { db, config, clock, secret } = deps;
  return await holdDeletions(deps, async () => {
    // Keys of files, as text in few pieces: a site may have a million.
    const keys: Buffer[] = [];
    const createdAt = moment(clock());
    const schema = (await appliedMigrations(db)).at(-1) ?? '';
    const total = await workOf(db);
    let done = 0;
    const step = async (work: number) => {
      // Rows that were added meanwhile were not counted.
      done = Math.min(done + work, total);
      await onProgress({ done, total });
    };
    await withSnapshot(config, async snapshot => {
      for (const { name, by, except } of archivedTables) {
        const columns = await snapshot.columns(name);
        const lines = writer.lines(
          name,
          columns.map(column => column.name),
        );
        for await (const rows of snapshot.rows(name, by)) {
          if (name === 'files') keys.push(keysOf(rows));
          for (const row of rows) if (!except?.(row)) await lines.add(lineOf(row, columns));
          await step(rows.length);
        }
        await lines.end();
      }
    });
    const { files, missing } = await writeFiles(deps.files, writer, keys, step);
    const manifest: Manifest = {
      format: 'coterie-archive',
      version: formatVersion,
      createdAt,
      schema,
      site: siteOf(secret),
      kinds: writer.kinds,
      files,
      missing,
    };
    await writer.entry(manifestName, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    writer.end();
    return manifest;
  });
}

/** Removes unfinished files that killed runs have left of this file. */
async function removeUnfinished(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (name.startsWith(`${basename(path)}.`) && name.endsWith('.unfinished')) {
      await rm(join(dirname(path), name), { force: true });
    }
  }
}
