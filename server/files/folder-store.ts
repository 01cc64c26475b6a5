import {
  access,
  constants,
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '../id.ts';
import { MissingBytes } from './missing-bytes.ts';
import type { ByteRange, FileStore } from './store.ts';

/** Bytes read at once: large enough for the disk, small enough for many readers. */
const readBytes = 256 * 1024;

/** Files in a folder, each under its key. A file has its name only once it is whole and on the disk. */
export function folderStore(folder: string): FileStore {
  const pathOf = (key: string) => join(folder, key);
  return {
    put: async (key, path) => {
      await mkdir(folder, { recursive: true });
      const unfinished = pathOf(`${key}.${createId()}.unfinished`);
      try {
        // A second name for the same bytes costs nothing; where the file system has no such thing, they are copied.
        await link(path, unfinished).catch(() => copyFile(path, unfinished, constants.COPYFILE_FICLONE));
        // When it was stored, not when its bytes came: the sweep goes by it.
        const now = new Date();
        await utimes(unfinished, now, now);
        await sync(unfinished);
        await rename(unfinished, pathOf(key));
        // The new name, too, must outlive a power cut.
        await sync(folder);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    read: async (key, range) => await readFile(pathOf(key), range),
    remove: async key => await rm(pathOf(key), { force: true }),
    list: async function* () {
      await mkdir(folder, { recursive: true });
      for await (const { name } of await opendir(folder)) {
        const found = await stat(pathOf(name)).catch(() => undefined);
        if (found?.isFile()) yield { key: name, storedAt: found.mtimeMs };
      }
    },
  };
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readFile(path: string, range: ByteRange | undefined) {
  await access(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new MissingBytes('The bytes of this file are gone.') : error;
  });
  let handle: FileHandle | undefined;
  let position = range?.start ?? 0;
  const end = range === undefined ? Number.POSITIVE_INFINITY : range.end + 1;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async controller => {
        // Opened when somebody reads: an answer that is never sent leaves nothing open.
        handle ??= await open(path, 'r');
        try {
          const length = Math.min(readBytes, end - position);
          const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, position);
          position += bytesRead;
          if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
          if (bytesRead < length || position === end) {
            await handle.close();
            controller.close();
          }
        } catch (error) {
          await handle.close();
          throw error;
        }
      },
      cancel: () => handle?.close(),
    },
    // Nothing is read before somebody takes it.
    { highWaterMark: 0 },
  );
}
