import { ghostSource } from '../server/import/ghost/source.ts';
import type { ImportedItem } from '../server/import/report.ts';
import { runImport } from '../server/import/run.ts';
import type { Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Row = Record<string, unknown>;

/** An export as Ghost 5 writes it, with these tables. */
const exportOf = (tables: Record<string, Row[]>) =>
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
export async function postOf(site: Site, id: string) {
  const { target_id } = await site.deps.db
    .selectFrom('imported')
    .select('target_id')
    .where('source', '=', `ghost:Walks/posts/${id}`)
    .executeTakeFirstOrThrow();
  return (await site.call(await site.admin(), 'getPost', { postId: target_id, withContent: true })).post;
}

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
    const items: ImportedItem[] = [];
    for await (const item of runImport(site.deps, source, { authorId: null, isDryRun: false }))
      items.push(item);
    return items;
  }
  return { at, write, run };
}
