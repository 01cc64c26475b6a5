import type { Kysely } from 'kysely';
import type { Comment } from '../../contract/comments.ts';
import { answersPerComment, threadMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import type { ReadContext } from '../access/context.ts';
import { lockReadable, type readingIn } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import {
  type CommentRow,
  charactersOfAll,
  describeComment,
  isPlaceholder,
  selectComments,
} from './describe.ts';

export type Changed = { comment: Comment; commentCount: number };

/**
 * Finds a comment and locks its post until the transaction ends. Throws not-found for a comment that the
 * viewer cannot see, and as reading its post does.
 */
export async function lockComment(
  within: Awaited<ReturnType<typeof readingIn>>,
  trx: ReadContext['db'],
  viewer: Viewer,
  commentId: string,
): Promise<CommentRow> {
  const found = await trx
    .selectFrom('comments')
    .select(['post_id', 'is_deleted'])
    .where('id', '=', commentId)
    .executeTakeFirst();
  if (found === undefined || found.is_deleted) throw gone();
  // The post is locked first, as everywhere: transactions with one order of locks never deadlock.
  await lockReadable(within(trx), viewer, found.post_id);
  // Read after the lock: somebody else may have deleted or hidden the comment meanwhile.
  const comment = await selectComments(trx).where('comments.id', '=', commentId).executeTakeFirst();
  const shown = comment && describeComment(comment, viewer);
  if (!shown || isPlaceholder(shown)) throw gone();
  return comment;
}

/**
 * Throws failed-precondition if the answers to a comment would be too many, or too long together, with this
 * one.
 */
export async function requireRoom(
  trx: Kysely<Tables>,
  parentId: string,
  { id = '', content }: { id?: string; content: string },
): Promise<void> {
  const { answers, characters } = await trx
    .selectFrom('comments')
    .select(eb => [eb.fn.countAll<number>().as('answers'), charactersOfAll.as('characters')])
    .where('parent_id', '=', parentId)
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  if (answers < answersPerComment && characters + content.length <= threadMaxCharacters) return;
  const most = `${answersPerComment} answers, of ${threadMaxCharacters.toLocaleString('en-US')} characters together`;
  throw new AppError(
    'failed-precondition',
    `A comment has at most ${most}. Please write a new comment instead.`,
  );
}

/** Changes the number of a post's comments, and notifies open pages. Returns the number. */
export async function changeComments(
  trx: Kysely<Tables>,
  postId: string,
  difference: number,
): Promise<number> {
  const post = await trx
    .updateTable('posts')
    .set(eb => ({
      comment_count: eb('comment_count', '+', difference),
      comments_version: eb('comments_version', '+', 1),
    }))
    .where('id', '=', postId)
    .returning('comment_count')
    .executeTakeFirstOrThrow();
  return post.comment_count;
}

/** A comment as the transaction sees it, and the number of its post's comments. */
export async function changedComment(
  trx: Kysely<Tables>,
  viewer: Viewer,
  commentId: string,
): Promise<Changed> {
  const row = await selectComments(trx)
    .select('posts.comment_count')
    .where('comments.id', '=', commentId)
    .executeTakeFirst();
  const comment = row && describeComment(row, viewer);
  if (!comment) throw gone();
  return { comment, commentCount: row.comment_count };
}

export function gone(): AppError {
  return new AppError('not-found', 'This comment has already been deleted.');
}
