import { sql } from 'kysely';
import { activityPerPage, likedPostExcerpt } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import type { Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { getCounts, isReadable, requireAuthor } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { readPage } from '../db/page.ts';
import { postNames } from '../posts/read.ts';

/** The most names in a list. */
const mostLikes = 500;

/**
 * The usernames of people who like a post, newest first, and their number. For the author of the post and
 * admins: readers never learn each other's names from likes. Throws not-found and permission-denied.
 */
export async function listLikes(
  deps: ReadContext,
  viewer: Viewer,
  postId: string,
): Promise<Output<'listLikes'>> {
  const post = await getCounts(deps, viewer, postId);
  requireAuthor(viewer, post);
  const rows = await deps.db
    .selectFrom('likes')
    .leftJoin('users', 'users.id', 'likes.user_id')
    .select(['likes.user_id', 'users.display_username as username', 'likes.created_at'])
    .where('likes.post_id', '=', postId)
    .orderBy('likes.created_at', 'desc')
    .orderBy('likes.user_id')
    .limit(mostLikes)
    .execute();
  return {
    likes: rows.map(row => ({
      userId: row.user_id,
      username: row.username,
      createdAt: moment(row.created_at),
    })),
    total: post.likeCount,
  };
}

/**
 * The posts that the viewer likes, last liked first; posts that they may no longer read are left out
 * (specification section 2).
 */
export async function listLikedPosts(
  deps: ReadContext,
  viewer: Viewer,
  after: string | null | undefined,
): Promise<Output<'getLikedPosts'>> {
  const query = deps.db
    .selectFrom('likes')
    .select(['post_id', 'created_at'])
    .where('user_id', '=', accountOf(viewer).id)
    .where(await isReadable(deps, viewer, sql.ref('likes.post_id')));
  const { rows, nextCursor } = await readPage(
    query,
    { columns: ['created_at', 'post_id'], direction: 'desc', after, limit: activityPerPage },
    row => ({ sortedBy: row.created_at, id: row.post_id }),
  );
  const ids = rows.map(row => row.post_id);
  const names = await postNames(deps, viewer, ids, likedPostExcerpt);
  return {
    likes: rows.flatMap(({ post_id, created_at }) => {
      const name = names.get(post_id);
      if (name === undefined) return [];
      return [{ postId: post_id, ...name, likedAt: moment(created_at) }];
    }),
    nextCursor,
  };
}
