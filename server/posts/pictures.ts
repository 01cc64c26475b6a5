import type { ReadContext } from '../access/context.ts';
import type { Viewer } from '../access/viewer.ts';
import type { FileRow } from '../db/tables.ts';
import { fileIdsIn } from '../files/address.ts';
import { getPost } from './read.ts';

export type PostPicture = Pick<FileRow, 'id' | 'name' | 'size'>;

/**
 * The pictures of a post that this site stores, in the order in which it shows them: those of its text, then
 * the attached ones. Throws as `getPost` does.
 */
export async function picturesOfPost(
  deps: ReadContext,
  viewer: Viewer,
  postId: string,
): Promise<{ title: string | null; publishedAt: string | null; pictures: PostPicture[] }> {
  const { title, publishedAt, html, attachments } = await getPost(deps, viewer, postId);
  // Its files first: a text can name thousands of others, also in code.
  const rows = await deps.db
    .selectFrom('post_files')
    .innerJoin('files', 'files.id', 'post_files.file_id')
    .select(['files.id', 'files.name', 'files.size'])
    .where('post_files.post_id', '=', postId)
    .where('files.type', 'like', 'image/%')
    .execute();
  if (rows.length === 0) return { title, publishedAt, pictures: [] };
  const found = new Map(rows.map(row => [row.id, row]));
  const ids = new Set([html, ...attachments.map(({ url }) => url)].flatMap(fileIdsIn));
  return { title, publishedAt, pictures: [...ids].flatMap(id => found.get(id) ?? []) };
}
