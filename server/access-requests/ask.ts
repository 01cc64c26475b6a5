import { moment } from '../../contract/date.ts';
import type { ReadContext } from '../access/context.ts';
import { lockReadable, readingIn, refusalOf, type TransactionReads } from '../access/posts.ts';
import { openRequests } from '../access/requests.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dayMs } from '../base/clock.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { takeAttempt } from '../limits/attempts.ts';

/** How many posts somebody may ask for in a day. */
const requestsPerDay = 20;

/**
 * Asks the admins for a published post that is not shared with the viewer; a second request replaces the
 * message of the first. For any other post, existing or not, nothing is stored or revealed. Throws
 * resource-exhausted.
 */
export async function askForPost(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  { postId, word }: { postId: string; word: string },
): Promise<void> {
  const userId = accountOf(viewer).id;
  const within = await readingIn(context);
  await inTransaction(context, async trx => {
    const bucket = { name: `requests of ${userId}`, points: requestsPerDay, seconds: dayMs / 1_000 };
    await takeAttempt({ db: trx, clock: context.clock }, bucket);
    if (!(await isWithheld(within(trx), viewer, postId))) return;
    const said = { word, created_at: context.clock() };
    await trx
      .insertInto('access_requests')
      .values({ post_id: postId, user_id: userId, ...said })
      .onConflict(conflict => conflict.columns(['post_id', 'user_id']).doUpdateSet(said))
      .execute();
  });
}

/** When an account asked for a post that is still not shared with it; null if it did not. */
export async function ownRequest(
  { db }: Pick<ReadContext, 'db'>,
  userId: string,
  postId: string,
): Promise<string | null> {
  const row = await openRequests(db)
    .select('access_requests.created_at')
    .where('access_requests.user_id', '=', userId)
    .where('access_requests.post_id', '=', postId)
    .executeTakeFirst();
  return row === undefined ? null : moment(row.created_at);
}

/** Removes the request of an account for a post, if there is one. */
export async function withdrawRequest(context: WriteContext, userId: string, postId: string): Promise<void> {
  await inTransaction(context, async trx => {
    await trx
      .deleteFrom('access_requests')
      .where('user_id', '=', userId)
      .where('post_id', '=', postId)
      .execute();
  });
}

/** Whether a post exists, is published, and is not shared with the viewer. */
async function isWithheld(reads: TransactionReads, viewer: Viewer, postId: string): Promise<boolean> {
  try {
    await lockReadable(reads, viewer, postId);
    return false;
  } catch (error) {
    return refusalOf(error) === 'permission-denied';
  }
}
