import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../contract/errors.ts';
import { copies } from '../files/store.ts';
import { type MarkdownExport, type MarkdownExportDeps, writeMarkdown } from './markdown-export.ts';

/**
 * {@link writeMarkdown} into a folder, which has its name once it is whole. Throws failed-precondition for a folder that is not
 * empty.
 */
export async function exportMarkdown(
  deps: MarkdownExportDeps,
  target: string,
): Promise<MarkdownExport & { folder: string }> {
  const folder = resolve(target);
  const present = await readdir(folder).catch(() => []);
  if (present.length > 0) {
    throw new AppError('failed-precondition', `${folder} is not empty: it holds ${present[0]}.`);
  }
  const unfinished = join(dirname(folder), `${basename(folder)}.unfinished`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const told = await writeMarkdown(deps, {
    write: async (path, bytes) => {
      const place = join(unfinished, path);
      await mkdir(dirname(place), { recursive: true });
      await pipeline(copies(bytes), createWriteStream(place));
    },
  });
  await rmdir(folder).catch(() => {});
  await rename(unfinished, folder);
  return { ...told, folder };
}
