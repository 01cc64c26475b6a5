import { constants, copyFile, link, mkdir, open, opendir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../base/config-error.ts';
import { createId } from '../../base/id.ts';
import { isOutage, outages, withCause } from '../../db/outage.ts';
import { requireKey } from '../address.ts';
import { flush } from './disk.ts';
import { forEachConcurrent } from './for-each-concurrent.ts';
import { missingBytes } from './missing-bytes.ts';
import type { ByteRange, FileStore } from './store.ts';

/** Bytes read at once: large enough for the disk, small enough for many readers. */
const readBytes = 256 * 1024;
/** Buffers for reuse by the next read: 16 MiB at most. */
const spare: Buffer[] = [];
const maxSpare = 64;

/** Throws if a folder is not the site's, as when a volume is not mounted. */
export type RequireFolder = () => Promise<void>;

/** For a folder that is not marked yet, or belongs to no running site. */
export const anyFolder: RequireFolder = async () => {};

/**
 * Files in a folder, each under its key. A file gets its name only once it is complete and on the disk.
 * `requireFolder` is called before anything is stored, and before anything counts as missing.
 */
export function folderStore(folder: string, requireFolder: RequireFolder): FileStore {
  const pathOf = (key: string) => join(folder, requireKey(key));
  const place = async (key: string, path: string) => {
    const unfinished = pathOf(`${key}.${createId()}.unfinished`);
    try {
      // A hard link costs nothing; the bytes are copied if the file system has no hard links.
      await link(path, unfinished).catch(() => copyFile(path, unfinished, constants.COPYFILE_FICLONE));
      // When it was stored, not when its bytes arrived: the sweep needs this time.
      const now = new Date();
      await utimes(unfinished, now, now);
      await flush(unfinished);
      await rename(unfinished, pathOf(key));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  };
  const putMany = async (files: Iterable<{ key: string; path: string }>) => {
    await requireFolder();
    await mkdir(folder, { recursive: true });
    await forEachConcurrent(files, ({ key, path }) => place(key, path));
    // The new names, too, must outlive a power cut.
    await flush(folder);
  };
  return {
    put: (key, path) => putMany([{ key, path }]),
    putMany,
    read: (key, range) => readFile(pathOf(key), range, requireFolder),
    size: async key => {
      try {
        return (await stat(pathOf(key))).size;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        await requireFolder();
        return undefined;
      }
    },
    check: async () => {
      try {
        await requireFolder();
      } catch (error) {
        // If the database cannot tell the name of the marker, nothing is known about the folder.
        if (!isOutage(error) || error.message !== outages.folder) throw error;
        // The folder may come back, but a site without it would be incomplete.
        throw new ConfigError(withCause(error), { cause: error });
      }
    },
    remove: async key => await rm(pathOf(key), { force: true }),
    list: async function* () {
      await requireFolder();
      await mkdir(folder, { recursive: true });
      for await (const { name } of await opendir(folder)) {
        const found = await stat(join(folder, name)).catch(() => undefined);
        if (found?.isFile()) yield { key: name, storedAt: found.mtimeMs };
      }
    },
  };
}

/** Reads through one reused buffer: new ones would grow into hundreds of megabytes under load. */
async function* readFile(
  path: string,
  range: ByteRange | undefined,
  requireFolder: RequireFolder,
): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await requireFolder();
    throw missingBytes('The content of this file is missing.');
  });
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(readBytes);
  try {
    const end = range === undefined ? (await handle.stat()).size : range.end + 1;
    let position = range?.start ?? 0;
    while (position < end) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - position), position);
      if (bytesRead === 0) throw missingBytes('This file is shorter than it was.');
      position += bytesRead;
      // Closed before the last bytes are yielded: the reader need not ask again after them.
      if (position === end) await handle.close();
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
    // The reader has finished with the buffer: only then does it ask for more, or stop.
    if (spare.length < maxSpare) spare.push(buffer);
  }
}
