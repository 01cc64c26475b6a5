import { AppError } from '../../contract/errors.ts';
import type { ReadContext } from '../access/context.ts';
import { lockEditable, readingIn } from '../access/posts.ts';
import { isMuted, type Viewer } from '../access/viewer.ts';
import type { Clock } from '../base/clock.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { stateOf } from '../posts/comments-state.ts';

/**
 * Throws failed-precondition for a post that is closed to comments, permission-denied for a muted member. The
 * transaction has locked the post and the account.
 */
export async function requireWriting(
  deps: Pick<ReadContext, 'db' | 'settings'>,
  clock: Clock,
  { userId, postId }: { userId: string; postId: string },
): Promise<void> {
  const user = await deps.db
    .selectFrom('users')
    .select(['is_muted', 'is_admin'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user !== undefined && isMuted(user))
    throw new AppError('permission-denied', 'An admin has muted you: you can read comments, but not write.');
  const { closedAt } = await stateOf(deps, postId);
  if (closedAt !== null && closedAt <= clock())
    throw new AppError('failed-precondition', 'The comments of this post are closed.');
}

/**
 * Closes a post to comments, or opens it again; existing comments stay. Returns when it closes, which its age
 * may decide. Throws as changing the post does.
 */
export async function setCommentsClosed(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  postId: string,
  isClosed: boolean,
): Promise<number | null> {
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    const reads = within(trx);
    await lockEditable(reads, viewer, postId);
    await trx.updateTable('posts').set({ comments_closed: isClosed }).where('id', '=', postId).execute();
    return (await stateOf(reads, postId)).closedAt;
  });
}
