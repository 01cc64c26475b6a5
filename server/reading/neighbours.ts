import type { Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { listedPosts, readablePosts, refusal } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { encodeCursor } from '../db/page.ts';
import { readTitled, titledPost } from './titles.ts';

/**
 * The posts before and after a post in the timeline that the viewer may read; none for a draft. Throws as
 * `getPost` does for a post that they may not read.
 */
export async function getNeighbours(
  deps: ReadContext,
  viewer: Viewer,
  postId: string,
): Promise<Output<'getNeighbours'>> {
  const post = await readablePosts(deps.db, await deps.catalogue(), viewer)
    .select(['posts.published_at', 'posts.shown_in'])
    .where('posts.id', '=', postId)
    .executeTakeFirst();
  if (post === undefined) throw await refusal(deps, viewer, postId);
  if (post.published_at === null || post.shown_in !== 'timeline') return { older: null, newer: null };
  const after = encodeCursor({ sortedBy: post.published_at, id: postId });
  const listed = await listedPosts(deps, viewer);
  const style = await deps.settings();
  const next = async (direction: 'asc' | 'desc') => {
    const [row] = await readTitled(deps.db, listed, { direction, after, limit: 1 });
    return row === undefined ? null : titledPost(row, style);
  };
  const [older, newer] = await Promise.all([next('desc'), next('asc')]);
  return { older, newer };
}
