import type { Rhythm, Subscription } from '../../../contract/accounts/account.ts';
import { AppError } from '../../../contract/errors.ts';
import type { ReadContext } from '../../access/context.ts';
import { shownEmail } from '../../access/shown-email.ts';
import { accountOf, type Viewer } from '../../access/viewer.ts';
import { dialectOf } from '../../db/dialect.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { addressWaits } from '../../mail/wishes/address-waits.ts';
import { queueLastDigest } from '../../mail/wishes/digests.ts';
import { listWantedTags } from '../../mail/wishes/unwanted.ts';

/** Whether an account gets mails about new posts, and at which address. */
export async function getSubscription(deps: ReadContext, viewer: Viewer): Promise<Subscription> {
  const row = await deps.db
    .selectFrom('users')
    .leftJoin('subscriptions', 'subscriptions.user_id', 'users.id')
    .leftJoin('invitation_uses', 'invitation_uses.user_id', 'users.id')
    .select(['users.email', 'subscriptions.user_id as subscriber', 'rhythm', 'digest_hour', 'is_whole'])
    .select(['users.status', 'users.email_verified', 'invitation_uses.invitation_id'])
    .where('users.id', '=', accountOf(viewer).id)
    .executeTakeFirstOrThrow();
  return {
    isSubscribed: row.subscriber !== null,
    email: row.email === '' ? null : shownEmail(row.email),
    waits: addressWaits(row),
    rhythm: row.rhythm ?? 'at-once',
    hour: row.digest_hour ?? 8,
    isWhole: Boolean(row.is_whole),
    tags: await listWantedTags(deps, viewer),
  };
}

type Wish = {
  rhythm?: Rhythm | undefined;
  hour?: number | undefined;
  isWhole?: boolean | undefined;
};

/**
 * Subscribes an account to mails about new posts, or ends the subscription; safe to repeat. The address is
 * always the account's own. Throws failed-precondition for an account without one (specification section 5).
 */
export async function setSubscription(
  context: WriteContext,
  userId: string,
  isSubscribed: boolean,
  { rhythm, hour, isWhole }: Wish,
): Promise<void> {
  await inTransaction(context, async trx => {
    if (!isSubscribed) {
      await trx.deleteFrom('subscriptions').where('user_id', '=', userId).execute();
      return;
    }
    // Shared, as in `holdRights`: with an exclusive lock, two requests of one account would deadlock.
    const { email } = await dialectOf(trx)
      .shared(trx.selectFrom('users').select('email').where('id', '=', userId))
      .executeTakeFirstOrThrow();
    if (email === '') {
      throw new AppError('failed-precondition', 'No email address associated with this account');
    }
    const now = context.clock();
    const before = await trx
      .insertInto('subscriptions')
      .values({ user_id: userId, email, created_at: now, digest_at: now })
      .onConflict(conflict => conflict.column('user_id').doUpdateSet({ email }))
      .returning(['rhythm', 'digest_at'])
      .executeTakeFirstOrThrow();
    const isChanged = rhythm !== undefined && rhythm !== before.rhythm;
    if (isChanged && rhythm === 'at-once')
      await queueLastDigest(trx, now, { userId, since: before.digest_at });
    const wish = {
      ...(isChanged && { rhythm }),
      // Posts that were already mailed at once are not in the first digest.
      ...(isChanged && before.rhythm === 'at-once' && { digest_at: now }),
      ...(hour !== undefined && { digest_hour: hour }),
      ...(isWhole !== undefined && { is_whole: isWhole }),
    };
    if (Object.keys(wish).length > 0)
      await trx.updateTable('subscriptions').set(wish).where('user_id', '=', userId).execute();
  });
}
