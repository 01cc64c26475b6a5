import { markdownSource } from '../server/import/markdown/source.ts';
import type { ImportedItem } from '../server/import/report.ts';
import { runImport } from '../server/import/run.ts';
import type { Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A folder of Markdown files that each test of a file has anew, and importing it. */
export function markdownFolder() {
  const { at, write } = temporaryFolder();
  const run = async (
    site: Site,
    options: { authorId?: string; isDryRun?: boolean; from?: string } = {},
  ): Promise<ImportedItem[]> => {
    const { authorId = null, isDryRun = false, from = at() } = options;
    const source = await markdownSource(from, site.deps.config.timeZone);
    const items: ImportedItem[] = [];
    for await (const item of runImport(site.deps, source, { authorId, isDryRun })) items.push(item);
    return items;
  };
  return { at, write, run };
}

/** What became of each file, by its name. */
export const outcomes = (files: readonly ImportedItem[]) =>
  Object.fromEntries(files.map(file => [file.source, file.outcome]));

/** The id of the post that came from a file. */
export async function importedId({ deps: { db } }: Site, source: string): Promise<string> {
  const row = await db
    .selectFrom('imported')
    .select('target_id')
    .where('source', '=', source)
    .executeTakeFirstOrThrow();
  return row.target_id;
}
