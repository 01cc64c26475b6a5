import type { Kysely } from 'kysely';
import type { Comment } from '../../contract/comments.ts';
import { commentsPerPage } from '../../contract/constants.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import { decodeCursor, encodeCursor } from '../posts/cursor.ts';
import { getCounts, type Reading } from '../posts/read.ts';

/** What a comment whose author is gone is signed with (specification section 3). */
const unknownUser = 'Unknown User';

export type CommentRow = {
  id: string;
  content: string;
  created_at: number;
  user_id: string | null;
  username: string | null;
};

/**
 * A page of a post's comments, newest first, for a viewer whom `authorize` has found approved. Throws not-found or
 * permission-denied as reading the post does.
 */
export async function listComments(
  reading: Reading,
  viewer: Viewer,
  postId: string,
  after: string | null | undefined,
): Promise<{ comments: Comment[]; commentCount: number; nextCursor: string | null }> {
  const { commentCount } = await getCounts(reading, viewer, postId);
  let query = selectComments(reading.db)
    .where('comments.post_id', '=', postId)
    .orderBy('comments.created_at', 'desc')
    .orderBy('comments.id', 'desc')
    .limit(commentsPerPage + 1);
  if (after) {
    const { sortedAt, id } = decodeCursor(after);
    query = query.where(eb =>
      eb(eb.refTuple('comments.created_at', 'comments.id'), '<', eb.tuple(eb.val(sortedAt), id)),
    );
  }
  const found = await query.execute();
  const rows = found.slice(0, commentsPerPage);
  const last = rows.at(-1);
  return {
    comments: rows.map(row => describeComment(row, viewer)),
    commentCount,
    nextCursor:
      found.length > rows.length && last !== undefined
        ? encodeCursor({ sortedAt: last.created_at, id: last.id })
        : null,
  };
}

/** Comments with the names of their authors. Who asks for them has asked their post. */
export function selectComments(db: Kysely<Tables>) {
  return db
    .selectFrom('comments')
    .leftJoin('users', 'users.id', 'comments.user_id')
    .select([
      'comments.id',
      'comments.content',
      'comments.created_at',
      'comments.user_id',
      'users.display_username as username',
    ]);
}

/** A comment as a viewer is shown it. */
export function describeComment(row: CommentRow, viewer: Viewer): Comment {
  return {
    id: row.id,
    content: row.content,
    authorUsername: row.username ?? unknownUser,
    createdAt: new Date(row.created_at).toISOString(),
    can: { delete: mayDelete(viewer, row.user_id) },
  };
}

/** Only the author or an admin can delete a comment (specification section 5). */
export function mayDelete(viewer: Viewer, authorId: string | null): boolean {
  return viewer.role === 'admin' || (viewer.role === 'member' && viewer.user?.id === authorId);
}
