import type { Kysely } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../db/transaction.ts';
import { queuePostPushes } from './push/queue.ts';
import { webhookMails } from './webhooks/queue.ts';
import { queueMail } from './write.ts';

const expandedAtOnce = 200;

/** Queues the mails of all announcements, until the process is stopping. */
export async function expandAnnouncements(deps: DbContext & { stopping: AbortSignal }): Promise<void> {
  let isMore = true;
  while (isMore && !deps.stopping.aborted) isMore = await expandAnnouncement(deps);
}

/**
 * Queues the mails of the oldest announcement for the next subscribers, and before these all its
 * notifications. False if there is nothing to do.
 */
export async function expandAnnouncement({ db, clock }: DbContext): Promise<boolean> {
  const open = await db
    .selectFrom('announcements')
    .select('post_id')
    .where('expanded_at', 'is', null)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  if (open === undefined) return false;
  return await inTransaction({ db, ...unguarded }, async trx => {
    const query = trx
      .selectFrom('announcements')
      .selectAll()
      .where('post_id', '=', open.post_id)
      .where('expanded_at', 'is', null);
    const announcement = await dialectOf(trx).skipLocked(query).executeTakeFirst();
    if (announcement === undefined) return false;
    const { post_id: postId, last_user_id: lastUserId, is_repeat: isRepeat } = announcement;
    if (lastUserId === '' && !isRepeat) await queueAboutNew(trx, clock(), postId);
    const subscribers = await trx
      .selectFrom('subscriptions')
      .select('user_id')
      .where('rhythm', '=', 'at-once')
      .where('user_id', '>', lastUserId)
      .orderBy('user_id')
      .limit(expandedAtOnce)
      .execute();
    const now = clock();
    const last = subscribers.at(-1);
    await queueMail(
      trx,
      now,
      ...subscribers.map(({ user_id: userId }) => ({
        kind: 'post' as const,
        userId,
        postId,
        once: `post:${postId}:${userId}`,
      })),
    );
    await trx
      .updateTable('announcements')
      .set(last === undefined ? { expanded_at: now } : { last_user_id: last.user_id })
      .where('post_id', '=', postId)
      .execute();
    return true;
  });
}

/** Queues the notifications and webhooks of a new post. */
async function queueAboutNew(trx: Kysely<Tables>, now: number, postId: string): Promise<void> {
  const post = await trx
    .selectFrom('posts')
    .select('author_id as authorId')
    .where('id', '=', postId)
    .executeTakeFirst();
  if (post === undefined) return;
  await queuePostPushes(trx, now, { postId, ...post });
  await queueMail(trx, now, ...(await webhookMails(trx, 'post', postId, postId)));
}
