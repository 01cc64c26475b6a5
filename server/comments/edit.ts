import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { Input } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { readingIn } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { type Changed, changeComments, changedComment, lockComment, requireRoom } from './change.ts';
import { requireWriting } from './closing.ts';

/**
 * Changes the viewer's own comment; its earlier text is not kept. Throws permission-denied for another's
 * comment, failed-precondition for a hidden comment, aborted for words other than `before`, and as addComment
 * does. `countAgainstLimit` is as for a new comment.
 */
export async function editComment(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  { commentId, content, before }: Input<'editComment'>,
  countAgainstLimit: (trx: Kysely<Tables>) => Promise<void>,
): Promise<Changed> {
  const userId = accountOf(viewer).id;
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    await countAgainstLimit(trx);
    const comment = await lockComment(within, trx, viewer, commentId);
    if (comment.user_id !== userId)
      throw new AppError('permission-denied', 'Only its author may change a comment.');
    await requireWriting(within(trx), context.clock, { userId, postId: comment.post_id });
    if (comment.hidden_at !== null)
      throw new AppError('failed-precondition', 'An admin has hidden this comment.');
    if (before !== undefined && cutMarks(comment.content) !== before && comment.content !== content)
      throw new AppError('aborted', 'This comment was changed elsewhere meanwhile.');
    if (comment.parent_id !== null && content.length > comment.content.length)
      await requireRoom(trx, comment.parent_id, { id: commentId, content });
    if (comment.content !== content) {
      await trx
        .updateTable('comments')
        .set({ content, edited_at: context.clock() })
        .where('id', '=', commentId)
        .execute();
      await changeComments(trx, comment.post_id, 0);
    }
    return await changedComment(trx, viewer, commentId);
  });
}
