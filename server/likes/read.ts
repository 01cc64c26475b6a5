import { AppError } from '../../contract/errors.ts';
import type { Viewer } from '../access/viewer.ts';
import { lockReadable, type Reading } from '../posts/read.ts';

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
  await lockReadable(reading, viewer, postId);
  const ofPost = reading.db.selectFrom('likes').where('likes.post_id', '=', postId);
  const [rows, { total }] = await Promise.all([
    ofPost
      .leftJoin('users', 'users.id', 'likes.user_id')
      .select(['users.display_username as username', 'likes.created_at'])
      .orderBy('likes.created_at', 'desc')
      .orderBy('likes.user_id')
      .limit(mostLikes)
      .execute(),
    ofPost.select(eb => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return {
    likes: rows.map(row => ({ username: row.username, createdAt: new Date(row.created_at).toISOString() })),
    total: Number(total),
  };
}
