import { ghostSource } from '../../server/moving/import/ghost/source.ts';
import { importAll, importedPost } from './imports.ts';
import type { Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Row = Record<string, unknown>;

/** An export as Ghost 5 writes it, with these tables. */
export const exportOf = (tables: Record<string, Row[]>) =>
  JSON.stringify({
    db: [
      {
        meta: { exported_on: 1_700_000_000_000, version: '5.80.0' },
        data: { settings: [{ key: 'title', value: 'Walks' }], ...tables },
      },
    ],
  });

/** A row of a published post that everybody may read. */
export const post = (id: string, fields: Row): Row => ({
  id,
  title: `Post ${id}`,
  slug: `post-${id}`,
  type: 'post',
  status: 'published',
  visibility: 'public',
  published_at: '2022-06-08T07:15:28.000Z',
  ...fields,
});

/** The post that the import made of the one with this id. */
export const postOf = (site: Site, id: string) => importedPost(site, `posts/${id}`);

/** A folder for an export of Ghost, and its import. To be called once, at the top of a test file. */
export function ghostImport() {
  const { at, write } = temporaryFolder();

  /** Imports an export with these tables. Returns what became of each item. */
  async function run(site: Site, tables: Record<string, Row[]>, options: { members?: string } = {}) {
    await write({ 'ghost.json': exportOf(tables), 'content/images/2022/none.txt': '' });
    const source = await ghostSource({
      file: at('ghost.json'),
      images: at('content'),
      members: options.members && at(options.members),
    });
    return await importAll(site.deps, source);
  }
  return { at, write, run };
}
