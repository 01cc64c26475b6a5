import type { ImportedItem } from '../server/import/report.ts';
import { runImport } from '../server/import/run.ts';
import { wordpressSource } from '../server/import/wordpress/source.ts';
import type { Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { type ExportedItem, wordpressExport } from './wordpress-export.ts';

/** The post that the import made of the one with this id. */
export async function postOf(site: Site, id: number) {
  const { target_id } = await site.deps.db
    .selectFrom('imported')
    .select('target_id')
    .where('source', '=', `wordpress:walks.example/posts/${id}`)
    .executeTakeFirstOrThrow();
  return (await site.call(await site.admin(), 'getPost', { postId: target_id, withContent: true })).post;
}

/** A folder for an export of WordPress, and its import. To be called once, at the top of a test file. */
export function wordpressImport() {
  const { at, write } = temporaryFolder();

  /** Imports an export with these items. Returns what became of each. */
  async function run(
    site: Site,
    items: readonly ExportedItem[],
    options: { users?: string; head?: string } = {},
  ) {
    await write({ 'export.xml': wordpressExport(items, options.head), 'media/2020/05/none.txt': '' });
    const source = await wordpressSource({
      files: [at('export.xml')],
      media: at('media'),
      users: options.users && at(options.users),
      timeZone: 'UTC',
    });
    const imported: ImportedItem[] = [];
    for await (const item of runImport(site.deps, source, { authorId: null, isDryRun: false }))
      imported.push(item);
    return imported;
  }
  return { at, write, run };
}
