import type { Kysely } from 'kysely';
import type { Subscription } from '../../contract/subscriptions.ts';
import type { Tables } from '../db/tables.ts';

/** Whether an account is told of new posts by mail, and where. */
export async function getSubscription(db: Kysely<Tables>, userId: string): Promise<Subscription> {
  const row = await db
    .selectFrom('users')
    .leftJoin('subscriptions', 'subscriptions.user_id', 'users.id')
    .select(['users.email', 'subscriptions.user_id as subscriber'])
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow();
  return { isSubscribed: row.subscriber !== null, email: row.email === '' ? null : row.email };
}
