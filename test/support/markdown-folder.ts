import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import type { ImportedItem } from '../../server/moving/import/report.ts';
import { importAll } from './imports.ts';
import type { Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A folder of Markdown files that each test of a file has anew, and importing it. */
export function markdownFolder() {
  const { at, write } = temporaryFolder();
  const run = async (
    site: Site,
    options: {
      authorId?: string;
      isDryRun?: boolean;
      from?: string;
      isOpening?: boolean;
      isUpload?: boolean;
    } = {},
  ): Promise<ImportedItem[]> => {
    const { authorId = null, isDryRun = false, from = at(), isOpening, isUpload = false } = options;
    const { timeZone } = await site.deps.settings();
    const source = await markdownSource(from, timeZone, { isUpload });
    return await importAll(site.deps, source, { authorId, isDryRun, isOpening });
  };
  return { at, write, run };
}

/** What became of each file, by its name. */
export const outcomes = (files: readonly ImportedItem[]) =>
  Object.fromEntries(files.map(file => [file.source, file.outcome]));
