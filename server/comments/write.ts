import type { Kysely } from 'kysely';
import type { Comment } from '../../contract/comments.ts';
import { AppError } from '../../contract/errors.ts';
import type { ReadContext } from '../access/context.ts';
import { lockReadable, readingIn } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { createId } from '../base/id.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { describeComment, mayDelete, selectComments } from './read.ts';

type NewComment = { postId: string; content: string; key?: string | undefined };

/**
 * Comments on a post, under the viewer's own name and the server's time. The count follows the row in the
 * same transaction (decisions.md 10). The same key again is the same comment. Throws not-found or
 * permission-denied as reading the post does; already-exists for a key that was used on another post. `limit`
 * throws for whoever comments too often; it counts in the same transaction, because a transaction of its own
 * would wait for the disk a second time.
 */
export async function addComment(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  { postId, content, key }: NewComment,
  limit?: (trx: Kysely<Tables>) => Promise<void>,
): Promise<{ comment: Comment; commentCount: number }> {
  const userId = accountOf(viewer).id;
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    await limit?.(trx);
    await lockReadable(within(trx), viewer, postId);
    // The time is read after locking the post, so that comments of one post are dated in the order in which
    // they become visible.
    const added = await trx
      .insertInto('comments')
      .values({
        id: createId(),
        post_id: postId,
        user_id: userId,
        content,
        created_at: context.clock(),
        key: key ?? null,
      })
      .onConflict(conflict => conflict.columns(['user_id', 'key']).doNothing())
      .returning('id')
      .executeTakeFirst();
    const row = await selectComments(trx)
      .where('comments.post_id', '=', postId)
      .where(eb =>
        added === undefined
          ? eb.and([eb('comments.user_id', '=', userId), eb('comments.key', '=', key ?? null)])
          : eb('comments.id', '=', added.id),
      )
      .executeTakeFirst();
    if (row === undefined)
      throw new AppError('already-exists', 'This key was already used for a comment on another post.');
    return {
      comment: describeComment(row, viewer),
      commentCount: await changeCommentCount(trx, postId, added === undefined ? 0 : 1),
    };
  });
}

/**
 * Deletes a comment. Returns how many its post has left. Throws not-found if it is already deleted,
 * permission-denied unless {@link mayDelete} allows it, and what reading its post throws.
 */
export async function deleteComment(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  commentId: string,
): Promise<number> {
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    const comment = await trx
      .selectFrom('comments')
      .innerJoin('posts', 'posts.id', 'comments.post_id')
      .select(['post_id', 'user_id', 'posts.author_id as post_author_id'])
      .where('comments.id', '=', commentId)
      .executeTakeFirst();
    if (comment === undefined) throw gone();
    // The post is locked first, as everywhere: transactions that lock in one order never deadlock.
    await lockReadable(within(trx), viewer, comment.post_id);
    if (!mayDelete(viewer, comment)) {
      throw new AppError(
        'permission-denied',
        'Only its author, the author of the post or an admin may delete a comment.',
      );
    }
    const deleted = await trx.deleteFrom('comments').where('id', '=', commentId).executeTakeFirst();
    if (deleted.numDeletedRows === 0n) throw gone();
    return await changeCommentCount(trx, comment.post_id, -1);
  });
}

async function changeCommentCount(trx: Kysely<Tables>, postId: string, difference: number): Promise<number> {
  const post = await trx
    .updateTable('posts')
    .set(eb => ({ comment_count: eb('comment_count', '+', difference) }))
    .where('id', '=', postId)
    .returning('comment_count')
    .executeTakeFirstOrThrow();
  return post.comment_count;
}

function gone(): AppError {
  return new AppError('not-found', 'This comment has already been deleted.');
}
