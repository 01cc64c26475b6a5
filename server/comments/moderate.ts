import type { Kysely } from 'kysely';
import type { ReadContext } from '../access/context.ts';
import { readingIn } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { type Changed, changeComments, changedComment, lockComment } from './change.ts';

/**
 * Hides a comment from all but its author, who reads the reason, or shows it again where there is none. It
 * is not counted while it is hidden. Its reports are done with.
 */
export async function setHidden(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  commentId: string,
  reason: string | null,
): Promise<Changed> {
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    const comment = await lockComment(within, trx, viewer, commentId);
    const wasHidden = comment.hidden_at !== null;
    const isHidden = reason !== null;
    await endReports(trx, commentId);
    await trx
      .updateTable('comments')
      .set({ hidden_at: isHidden ? (comment.hidden_at ?? context.clock()) : null, hidden_reason: reason })
      .where('id', '=', commentId)
      .execute();
    await changeComments(trx, comment.post_id, Number(wasHidden) - Number(isHidden));
    return await changedComment(trx, viewer, commentId);
  });
}

/** Leaves a reported comment as it is. Its reports are done with. */
export async function dismissReports(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  commentId: string,
): Promise<void> {
  const within = await readingIn(context);
  await inTransaction(context, async trx => {
    await lockComment(within, trx, viewer, commentId);
    await endReports(trx, commentId);
  });
}

async function endReports(trx: Kysely<Tables>, commentId: string): Promise<void> {
  await trx.deleteFrom('comment_reports').where('comment_id', '=', commentId).execute();
}
