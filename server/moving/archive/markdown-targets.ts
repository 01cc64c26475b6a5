import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { AppError } from '../../../contract/errors.ts';
import { copies } from '../../files/store/store.ts';
import { writeWhole } from './export.ts';
import { type MarkdownExport, type MarkdownExportDeps, writeMarkdown } from './markdown-export.ts';

/**
 * {@link writeMarkdown} into a folder, which gets its name once it is complete. Throws failed-precondition
 * for a folder that is not empty, and for a file.
 */
export async function exportMarkdown(
  deps: MarkdownExportDeps,
  target: string,
): Promise<MarkdownExport & { folder: string }> {
  const folder = resolve(target);
  const present = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTDIR') return [];
    throw new AppError('failed-precondition', `${folder} is not a folder.`);
  });
  if (present.length > 0) {
    throw new AppError('failed-precondition', `${folder} is not empty: it holds ${present[0]}.`);
  }
  const unfinished = join(dirname(folder), `${basename(folder)}.unfinished`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const result = await writeMarkdown(deps, {
    write: async (path, bytes) => {
      const place = join(unfinished, path);
      await mkdir(dirname(place), { recursive: true });
      await pipeline(copies(bytes), createWriteStream(place));
    },
  });
  await rmdir(folder).catch(() => {});
  await rename(unfinished, folder);
  return { ...result, folder };
}

type ZipOptions = { stopping?: AbortSignal; onPost?: (written: number) => Promise<void> };

/**
 * {@link writeMarkdown} into a zip archive, which gets its name once it is complete. Throws already-exists
 * for an existing file; aborting `stopping` throws, too, and leaves nothing.
 */
export async function exportMarkdownZip(
  deps: MarkdownExportDeps,
  path: string,
  { stopping: signal, onPost }: ZipOptions = {},
): Promise<MarkdownExport> {
  return await writeWhole(path, deps.clock, async unfinished => {
    const zip = new ZipFile();
    const target = createWriteStream(unfinished, { flags: 'wx', mode: 0o600 });
    const isWritten = pipeline(zip.outputStream, target, { signal });
    // Awaited below, and with each entry: one that waits for space would otherwise wait for ever.
    isWritten.catch(() => {});
    const result = await writeMarkdown(deps, {
      write: async (name, bytes) => {
        const entry = Readable.from(copies(bytes), { objectMode: false });
        // Pictures and videos are compressed already.
        zip.addReadStream(entry, name, { compress: name.endsWith('.md') });
        await Promise.race([finished(entry), isWritten]);
      },
      onPost,
    });
    zip.end();
    await isWritten;
    return result;
  });
}
