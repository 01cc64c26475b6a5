import { type Kysely, sql } from 'kysely';
import type { Post } from '../../../contract/post.ts';
import { isReadable } from '../../access/posts.ts';
import { accountOf, type Viewer } from '../../access/viewer.ts';
import { lastTimeOfDay } from '../../base/calendar.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, unguarded } from '../../db/transaction.ts';
import { readPosts } from '../../posts/read.ts';
import type { MailContext } from '../context.ts';
import { queueMail } from '../write.ts';
import { isNewsFor } from './unwanted.ts';

const queuedAtOnce = 200;
const postsNamed = 30;
/** The transaction that announces a post commits within this time after the time that it records. */
const settleMs = 2 * 60_000;

/** When somebody gets a digest: every day, or every Monday, at an hour of the site's time zone. */
type Slot = { rhythm: 'daily' | 'weekly'; hour: number };
const monday = 1;

/** Mails a subscriber once a week instead. False if the account has no subscription. */
export async function mailWeekly(db: Kysely<Tables>, now: number, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('subscriptions')
    .set({
      rhythm: 'weekly',
      // Posts that were already mailed at once are not in the first digest.
      digest_at: sql`case when rhythm = 'at-once' then ${now} else digest_at end`,
    })
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Queues due digests for readers who have not got theirs yet; none if there are no new posts. */
export async function queueDigests(deps: MailContext): Promise<void> {
  const { db, clock, changes, settings, stopping } = deps;
  const kinds = await db
    .selectFrom('subscriptions')
    .select(['rhythm', 'digest_hour'])
    .distinct()
    .where('rhythm', '<>', 'at-once')
    .execute();
  // A process that only does background work learns of changes by nothing else.
  await changes.caughtUp();
  const { timeZone } = await settings();
  for (const { rhythm, digest_hour: hour } of kinds) {
    if (rhythm === 'at-once') continue;
    const at = `${String(hour).padStart(2, '0')}:00`;
    const due = lastTimeOfDay(clock() - settleMs, at, timeZone, rhythm === 'weekly' ? monday : undefined);
    while (!stopping.aborted && (await queueSome(deps, { rhythm, hour }, due)));
  }
}

/** Queues the digests of the next subscribers. False if there are no more. */
async function queueSome({ db, clock }: MailContext, { rhythm, hour }: Slot, due: number): Promise<boolean> {
  return await inTransaction({ db, ...unguarded }, async trx => {
    const waiting = trx
      .selectFrom('subscriptions')
      .select(['user_id', 'digest_at'])
      .where('rhythm', '=', rhythm)
      .where('digest_hour', '=', hour)
      .where('digest_at', '<', due)
      .orderBy('digest_at')
      .limit(queuedAtOnce);
    const rows = await dialectOf(trx).skipLocked(waiting).execute();
    if (rows.length === 0) return false;
    const newest = await newestAnnouncement(trx, due);
    await queueMail(
      trx,
      clock(),
      ...rows
        .filter(({ digest_at }) => newest > digest_at)
        .map(({ user_id: userId, digest_at: since }) => ({
          kind: 'digest' as const,
          userId,
          once: `digest:${userId}:${due}`,
          data: { since, until: due },
        })),
    );
    const ids = rows.map(row => row.user_id);
    await trx
      .updateTable('subscriptions')
      .set({ digest_at: due })
      .where(dialectOf(trx).inList(sql.ref('user_id'), ids))
      .execute();
    return true;
  });
}

/** Queues the posts that waited for the digest of a subscriber who gets posts at once from now on. */
export async function queueLastDigest(
  trx: Kysely<Tables>,
  now: number,
  { userId, since }: { userId: string; since: number },
): Promise<void> {
  // Announcements that the worker has not processed yet are mailed at once.
  const atOnce = await trx
    .selectFrom('announcements')
    .select('created_at')
    .where('expanded_at', 'is', null)
    .where('last_user_id', '<', userId)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  const until = atOnce === undefined ? now : atOnce.created_at - 1;
  if ((await newestAnnouncement(trx, until)) <= since) return;
  const data = { since, until };
  await queueMail(trx, now, { kind: 'digest', userId, once: `digest:${userId}:${now}`, data });
}

async function newestAnnouncement(db: Kysely<Tables>, until: number): Promise<number> {
  const row = await db
    .selectFrom('announcements')
    .select('created_at')
    .where('created_at', '<=', until)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? 0;
}

/**
 * The posts of a digest that its reader may currently read, newest first, and whether there are more than it
 * names.
 */
export async function postsOfDigest(
  deps: MailContext,
  viewer: Viewer,
  { since, until }: { since: number; until: number },
): Promise<{ posts: Post[]; hasMore: boolean }> {
  const rows = await deps.db
    .selectFrom('announcements')
    .select('post_id')
    .where('created_at', '>', since)
    .where('created_at', '<=', until)
    .where(await isReadable(deps, viewer, sql.ref('announcements.post_id')))
    .where(isNewsFor(deps.db, accountOf(viewer).id, sql.ref('announcements.post_id')))
    .orderBy('created_at', 'desc')
    .orderBy('post_id')
    .limit(postsNamed + 1)
    .execute();
  const ids = rows.slice(0, postsNamed).map(({ post_id }) => post_id);
  return { posts: await stillReadable(deps, viewer, ids), hasMore: rows.length > postsNamed };
}

/** The posts that were not restricted or deleted just now. */
export async function stillReadable(
  deps: MailContext,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Post[]> {
  return await readPosts(deps, viewer, ids, { withContent: false, catalogue: await deps.catalogue() });
}
