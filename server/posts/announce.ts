import { type Kysely, sql } from 'kysely';
import { accountOf, type Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import type { DbContext } from '../db/transaction.ts';
import { takeAttempt } from '../limits/attempts.ts';

/** Announcements of one author, in all processes together. */
const perHour = { points: 60, seconds: 3_600 };

/**
 * Counts an announcement of an author: each is a mail to everybody who wants new posts. Admins have no limit.
 * Throws resource-exhausted.
 */
export async function countAnnouncement(
  trx: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  viewer: Viewer,
): Promise<void> {
  if (viewer.role !== 'author') return;
  const name = `announcement by ${accountOf(viewer).id}`;
  await takeAttempt({ db: trx, clock }, { name, ...perHour });
}

/**
 * Records a new post for announcement by mail, notification and webhook, in the transaction that publishes
 * it. It writes one row, whatever the number of readers, so that the author does not wait for them. A post is
 * announced once (decision 28).
 */
export async function announcePost(trx: Kysely<Tables>, postId: string, now: number): Promise<void> {
  await trx
    .insertInto('announcements')
    .values({ post_id: postId, created_at: now, expanded_at: null })
    .onConflict(conflict => conflict.column('post_id').doNothing())
    .execute();
}

/** Lets the worker look for subscribers again; those who were told are skipped. */
export async function announceAgain(trx: Kysely<Tables>, postId: string, now: number): Promise<void> {
  const again = { created_at: now, last_user_id: '', expanded_at: null, is_repeat: true };
  const first = sql<number | null>`case when announcements.is_repeat then announcements.first_at
    else announcements.created_at end`;
  await trx
    .insertInto('announcements')
    .values({ post_id: postId, ...again })
    .onConflict(conflict =>
      conflict.column('post_id').doUpdateSet({
        ...again,
        first_at: first,
        // Not if the worker has not processed the first announcement yet.
        is_repeat: sql<boolean>`announcements.is_repeat or announcements.expanded_at is not null
          or announcements.last_user_id <> ''`,
      }),
    )
    .execute();
}
