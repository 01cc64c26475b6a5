import type { Kysely } from 'kysely';
import type { ReadContext } from '../access/context.ts';
import { readingIn } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { type Changed, changeComments, changedComment, lockComment } from './change.ts';
import { updatePlaceholders } from './remove.ts';

/** A comment, and the time of the newest report that the admin was shown; left out for all. */
type Seen = { commentId: string; seenUntil?: string | undefined };

/**
 * Hides a comment from all but its author, who reads the reason; without a reason it shows the comment again.
 * A hidden comment is not counted. Closes the reports that the admin has seen.
 */
export async function setHidden(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  { commentId, reason, seenUntil }: Seen & { reason: string | null },
): Promise<Changed> {
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    const comment = await lockComment(within, trx, viewer, commentId);
    const wasHidden = comment.hidden_at !== null;
    const isHidden = reason !== null;
    await endReports(trx, { commentId, seenUntil });
    await trx
      .updateTable('comments')
      .set({ hidden_at: isHidden ? (comment.hidden_at ?? context.clock()) : null, hidden_reason: reason })
      .where('id', '=', commentId)
      .execute();
    if (comment.parent_id !== null) await updatePlaceholders(trx, [comment.parent_id]);
    await changeComments(trx, comment.post_id, Number(wasHidden) - Number(isHidden));
    return await changedComment(trx, viewer, commentId);
  });
}

/** Keeps a reported comment. Closes the reports that the admin has seen. */
export async function dismissReports(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  seen: Seen,
): Promise<void> {
  const within = await readingIn(context);
  await inTransaction(context, async trx => {
    await lockComment(within, trx, viewer, seen.commentId);
    await endReports(trx, seen);
  });
}

/** Closes the reports of a comment up to the newest one seen, or all. */
async function endReports(trx: Kysely<Tables>, { commentId, seenUntil }: Seen): Promise<void> {
  const newest = seenUntil === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(seenUntil);
  await trx
    .deleteFrom('comment_reports')
    .where('comment_id', '=', commentId)
    .where('created_at', '<=', newest)
    .execute();
}
