import { wordpressSource } from '../../server/moving/import/wordpress/source.ts';
import { importAll, importedPost } from './imports.ts';
import type { Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { type ExportedItem, wordpressExport } from './wordpress-export.ts';

/** The post that the import made of the one with this id. */
export const postOf = (site: Site, id: number) => importedPost(site, `wordpress:walks.example/posts/${id}`);

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
    return await importAll(site.deps, source);
  }
  return { at, write, run };
}
