import { markdownSource } from '../server/import/markdown/source.ts';
import type { ImportedItem } from '../server/import/report.ts';
import { importAll } from './imports.ts';
import type { Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A folder of Markdown files that each test of a file has anew, and importing it. */
export function markdownFolder() {
  const { at, write } = temporaryFolder();
  const run = async (
    site: Site,
    options: { authorId?: string; isDryRun?: boolean; from?: string } = {},
  ): Promise<ImportedItem[]> => {
    const { authorId = null, isDryRun = false, from = at() } = options;
    const source = await markdownSource(from, site.deps.config.timeZone);
    return await importAll(site.deps, source, { authorId, isDryRun });
  };
  return { at, write, run };
}

/** What became of each file, by its name. */
export const outcomes = (files: readonly ImportedItem[]) =>
  Object.fromEntries(files.map(file => [file.source, file.outcome]));
