import type { Kysely } from 'kysely';
import { moment } from '../../contract/date.ts';
import type { Output } from '../../contract/operations.ts';
import { hourMs } from '../base/clock.ts';
import { digestOf, newToken } from '../base/secrets.ts';
import type { Tables } from '../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../db/transaction.ts';

type Feed = NonNullable<Output<'getPersonalFeed'>['feed']>;

/** The feed of an account, without its secret, which is stored only as a digest. */
export async function getPersonalFeed(db: Kysely<Tables>, userId: string): Promise<Feed | null> {
  const row = await db
    .selectFrom('personal_feeds')
    .select(['created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { createdAt: moment(row.created_at), lastUsedAt: moment(row.last_used_at) };
}

/**
 * Makes the secret of a feed, replacing the previous one. Only this answer contains it. It needs a recent
 * sign-in, because the feed shows all posts of its account until somebody ends it.
 */
export async function makePersonalFeed(
  context: WriteContext,
  userId: string,
): Promise<{ feed: Feed; secret: string }> {
  const secret = newToken();
  const now = context.clock();
  await inTransaction(context, async trx => {
    await context.requireRecentSignIn(trx);
    // `holdRights` locks the account: code that ends its access runs before, or ends this feed.
    const row = { digest: digestOf(secret), created_at: now, last_used_at: null };
    await trx
      .insertInto('personal_feeds')
      .values({ user_id: userId, ...row })
      .onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
      .execute();
  });
  return { feed: { createdAt: moment(now), lastUsedAt: null }, secret };
}

export async function endPersonalFeed(context: WriteContext, userId: string): Promise<void> {
  await inTransaction(context, async trx => {
    await trx.deleteFrom('personal_feeds').where('user_id', '=', userId).execute();
  });
}

/** The account whose feed has this secret; undefined for none. Records its use, once an hour. */
export async function findPersonalFeed(
  { db, clock }: DbContext,
  secret: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('personal_feeds')
    .select(['user_id', 'last_used_at'])
    .where('digest', '=', digestOf(secret))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const now = clock();
  // Also after a clock was set back.
  if (row.last_used_at === null || Math.abs(now - row.last_used_at) >= hourMs) {
    await db
      .updateTable('personal_feeds')
      .set({ last_used_at: now })
      .where('user_id', '=', row.user_id)
      // Another secret may have replaced it meanwhile.
      .where('digest', '=', digestOf(secret))
      .execute()
      // A full disk must not stop programs from reading.
      .catch(() => {});
  }
  return row.user_id;
}
