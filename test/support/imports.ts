import type { Source } from '../../server/moving/import/draft.ts';
import type { ImportedItem } from '../../server/moving/import/report.ts';
import { type ImportOptions, runImport } from '../../server/moving/import/run.ts';
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

/** The id of the post that an import has made of an item, which is named with or without its source. */
export async function importedId({ deps: { db } }: Site, source: string): Promise<string> {
  const rows = await db
    .selectFrom('imported')
    .select(['source', 'target_id'])
    .where('kind', '=', 'post')
    .where(eb => eb.or([eb('source', '=', source), eb('source', 'like', `%/${source}`)]))
    .execute();
  // The shortest: a path may end like another one.
  const [row] = rows.toSorted((a, b) => a.source.length - b.source.length);
  if (row === undefined) throw new Error(`There is no post of ${source}.`);
  return row.target_id;
}

/** That post with its Markdown, as an admin gets it. */
export async function importedPost(site: Site, source: string) {
  const postId = await importedId(site, source);
  return (await site.call(await site.admin(), 'getPost', { postId, withContent: true })).post;
}

/** Counts of published posts that do not agree with the posts. */
export async function wrongCounts({ deps: { db } }: Site) {
  const sets = await db.selectFrom('tag_sets').select(['id', 'published_count']).execute();
  const posts = await db
    .selectFrom('posts')
    .select('tag_set_id')
    .where('published_at', 'is not', null)
    .execute();
  return sets.filter(set => posts.filter(post => post.tag_set_id === set.id).length !== set.published_count);
}
