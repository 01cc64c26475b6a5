import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';

/**
 * Queues the mails about a new post, in the transaction that publishes it. It writes one row, however many subscribers
 * there are, so that the author does not wait for them. A post is announced once (decisions.md 28).
 */
export async function announcePost(trx: Kysely<Tables>, postId: string, now: number): Promise<void> {
  await trx
    .insertInto('announcements')
    .values({ post_id: postId, created_at: now, expanded_at: null })
    .onConflict(conflict => conflict.column('post_id').doNothing())
    .execute();
}
