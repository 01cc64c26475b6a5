import { AppError } from '../../contract/errors.ts';
import type { Viewer } from '../access/viewer.ts';
import { getCounts, type Reading } from '../posts/read.ts';

/** More names than anybody reads in a list. */
const mostLikes = 500;

type Like = { username: string | null; createdAt: string };

/**
 * Who likes a post, newest first, and how many they are in all. For admins: readers never learn each other's names from
 * likes. Throws not-found.
 */
export async function listLikes(
  reading: Reading,
  viewer: Viewer,
  postId: string,
): Promise<{ likes: Like[]; total: number }> {
  if (viewer.role !== 'admin') throw new AppError('permission-denied', 'Only an admin may list likes.');
  const { likeCount } = await getCounts(reading, viewer, postId);
  const rows = await reading.db
    .selectFrom('likes')
    .leftJoin('users', 'users.id', 'likes.user_id')
    .select(['users.display_username as username', 'likes.created_at'])
    .where('likes.post_id', '=', postId)
    .orderBy('likes.created_at', 'desc')
    .orderBy('likes.user_id')
    .limit(mostLikes)
    .execute();
  return {
    likes: rows.map(row => ({ username: row.username, createdAt: new Date(row.created_at).toISOString() })),
    total: likeCount,
  };
}
