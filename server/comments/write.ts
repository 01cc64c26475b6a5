import type { Kysely } from 'kysely';
import type { Comment } from '../../contract/comments.ts';
import { AppError } from '../../contract/errors.ts';
import type { ReadContext } from '../access/context.ts';
import { lockReadable, readingIn } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { createId } from '../base/id.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { queueCommentMails } from '../mail/wishes/queue.ts';
import { type Changed, changeComments, changedComment, gone, lockComment, requireRoom } from './change.ts';
import { requireWriting } from './closing.ts';
import { describeComment, mayDelete, selectComments } from './describe.ts';
import { removeComment } from './remove.ts';

type NewComment = {
  postId: string;
  content: string;
  key?: string | undefined;
  parentId?: string | undefined;
};

/**
 * Comments on a post, under the viewer's name and the server's time. The count follows the row in the same
 * transaction (decision 10). The same key again returns the same comment, even if it could no longer be
 * written. Throws not-found or permission-denied as reading the post does; already-exists for a key that was
 * used on another post. `countAgainstLimit` throws for somebody who comments too often; it counts in the same
 * transaction, because a separate one would wait for the disk a second time.
 */
export async function addComment(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  { postId, content, key, parentId }: NewComment,
  countAgainstLimit: (trx: Kysely<Tables>) => Promise<void>,
): Promise<Changed> {
  const userId = accountOf(viewer).id;
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    await countAgainstLimit(trx);
    const reads = within(trx);
    await lockReadable(reads, viewer, postId);
    const known = key === undefined ? undefined : await commentOfKey(trx, userId, key);
    if (known !== undefined) {
      if (known.post_id !== postId) throw keyTaken();
      return await changedComment(trx, viewer, known.id);
    }
    await requireWriting(reads, context.clock, { userId, postId });
    const answered = parentId === undefined ? null : await beginningOf(trx, postId, parentId);
    if (answered !== null) await requireRoom(trx, answered, { content });
    // The time is read after the post is locked, so that its comments are dated in the order in which they
    // appear.
    const added = await trx
      .insertInto('comments')
      .values({
        id: createId(),
        post_id: postId,
        user_id: userId,
        content,
        created_at: context.clock(),
        key: key ?? null,
        parent_id: answered,
      })
      .onConflict(conflict => conflict.columns(['user_id', 'key']).doNothing())
      .returning('id')
      .executeTakeFirst();
    // Somebody used the key on another post at the same moment: only this post is locked.
    if (added === undefined) throw keyTaken();
    await changeComments(trx, postId, 1);
    const about = { id: added.id, postId, userId, answered: [parentId, answered].filter(isId) };
    await queueCommentMails(trx, context.clock(), about);
    return await changedComment(trx, viewer, added.id);
  });
}

async function commentOfKey(trx: Kysely<Tables>, userId: string, key: string) {
  return await trx
    .selectFrom('comments')
    .select(['id', 'post_id'])
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst();
}

const keyTaken = () =>
  new AppError('already-exists', 'This key was already used for a comment on another post.');

const isId = (id: string | null | undefined): id is string => id != null;

/** The comment that begins the thread of an answered comment. Throws not-found. */
async function beginningOf(trx: Kysely<Tables>, postId: string, answeredId: string): Promise<string> {
  const answered = await trx
    .selectFrom('comments')
    .select(['id', 'parent_id'])
    .where('id', '=', answeredId)
    .where('post_id', '=', postId)
    .where('is_deleted', '=', false)
    .where('hidden_at', 'is', null)
    .executeTakeFirst();
  if (answered === undefined) throw gone();
  return answered.parent_id ?? answered.id;
}

/**
 * Deletes a comment. If it has answers, a placeholder without text and author remains. Returns the number of
 * comments left. Throws not-found if it is already deleted, permission-denied unless {@link mayDelete} allows
 * it, and as reading its post does.
 */
export async function deleteComment(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  commentId: string,
): Promise<{ comment?: Comment; commentCount: number }> {
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    const comment = await lockComment(within, trx, viewer, commentId);
    if (!mayDelete(viewer, comment)) {
      throw new AppError(
        'permission-denied',
        'Only its author, the author of the post or an admin may delete a comment.',
      );
    }
    const wasCounted = comment.hidden_at === null;
    await removeComment(trx, comment);
    const commentCount = await changeComments(trx, comment.post_id, wasCounted ? -1 : 0);
    const left = await selectComments(trx).where('comments.id', '=', commentId).executeTakeFirst();
    const placeholder = left === undefined ? null : describeComment(left, viewer);
    return { commentCount, ...(placeholder !== null && { comment: placeholder }) };
  });
}
