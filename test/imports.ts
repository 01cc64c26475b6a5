import type { Source } from '../server/import/draft.ts';
import type { ImportedItem } from '../server/import/report.ts';
import { type ImportOptions, runImport } from '../server/import/run.ts';
import type { Site } from './site.ts';

/** Imports a whole source. Returns what became of each item. */
export async function importAll(
  context: Parameters<typeof runImport>[0],
  source: Source,
  options: Partial<ImportOptions> = {},
): Promise<ImportedItem[]> {
  const items: ImportedItem[] = [];
  for await (const item of runImport(context, source, { authorId: null, isDryRun: false, ...options }))
    items.push(item);
  return items;
}

/** The id of the post that an import has made of an item. */
export async function importedId({ deps: { db } }: Site, source: string): Promise<string> {
  const row = await db
    .selectFrom('imported')
    .select('target_id')
    .where('source', '=', source)
    .executeTakeFirstOrThrow();
  return row.target_id;
}

/** That post with its Markdown, as an admin gets it. */
export async function importedPost(site: Site, source: string) {
  const postId = await importedId(site, source);
  return (await site.call(await site.admin(), 'getPost', { postId, withContent: true })).post;
}
