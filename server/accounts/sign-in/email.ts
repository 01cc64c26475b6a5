import type { Kysely } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError, fieldError } from '../../../contract/errors.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { shownEmail } from '../../access/shown-email.ts';
import { dayMs } from '../../base/clock.ts';
import { digestOf } from '../../base/secrets.ts';
import { isDuplicate } from '../../db/dialect.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { forgetBounces, pauseOf } from '../../mail/bounces.ts';
import { queueMail, queueNotice } from '../../mail/write.ts';
import { endTokens } from '../sessions/end-access.ts';
import { insertLink, linkOver, openLinks } from './mailed-links.ts';

/** How long the link in a confirmation mail works. */
const linkLifeMs = dayMs;

/**
 * Mails the link that confirms an account's address. Throws failed-precondition if it is already confirmed.
 */
export async function sendConfirmation(context: WriteContext, userId: string): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockOwner(trx, userId);
    // Opening the link shows that mails arrive again.
    if (user.email_verified && (await pauseOf(trx, userId)) === undefined) {
      throw new AppError('failed-precondition', 'Your email address is already confirmed.');
    }
    await mailLink(trx, context.clock(), userId, user.email);
  });
}

/**
 * Mails a link to the new address and a notice to the current one; nothing changes until the link is used. If
 * another account has the address, no mail is sent and the caller gets the same answer. Only the last
 * requested address can be confirmed.
 */
export async function changeEmail(context: WriteContext, userId: string, email: string): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockOwner(trx, userId);
    if (email === user.email) {
      throw fieldError('email', 'This is already the email address of your account.');
    }
    await trx
      .deleteFrom('email_links')
      .where('user_id', '=', userId)
      .where('email', '<>', user.email)
      .execute();
    if (!(await isTaken(trx, email))) await mailLink(trx, context.clock(), userId, email);
    await queueNotice(trx, context.clock(), userId, 'address-change-requested', { to: user.email });
  });
}

/** What a link would confirm; null if it is no longer valid. Does not use it up. */
export async function describeLink(
  context: WriteContext,
  token: string,
): Promise<{ username: string; email: string; isChange: boolean } | null> {
  const row = await openLinks(context, 'confirm')
    .select(['email_links.email', 'users.display_username', 'users.email as current'])
    .where('digest', '=', digestOf(token))
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    username: row.display_username,
    email: shownEmail(row.email),
    isChange: row.email !== row.current,
  };
}

/**
 * Confirms the address that a link was mailed to; a new address also replaces the account's and its
 * subscription's. Throws failed-precondition for a used, expired or ended link, and already-exists if another
 * account has taken the address. Does not sign in. A notice goes to the former address.
 */
export async function confirmEmail({ db, clock, by }: WriteContext, token: string): Promise<void> {
  try {
    await inTransaction({ db, ...unguarded }, trx => useLink(trx, { clock, by }, digestOf(token)));
  } catch (error) {
    // Somebody signed up with this address at the same moment.
    throw isDuplicate(error) ? takenMeanwhile() : error;
  }
}

async function useLink(
  trx: Kysely<Tables>,
  context: Pick<DbContext, 'by' | 'clock'>,
  digest: string,
): Promise<void> {
  const now = context.clock();
  const link = await openLinks({ db: trx, clock: context.clock }, 'confirm')
    .select(['users.id as userId', 'email_links.email'])
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (link === undefined) throw linkOver();
  const { userId, email } = link;
  // The account is locked first, as by all code that ends links: different orders of locks deadlock.
  const user = await lockOwner(trx, userId);
  // The other links to this address prove the same; this one is among them unless it was used or ended.
  const ended = await trx
    .deleteFrom('email_links')
    .where('user_id', '=', userId)
    .where('email', '=', email)
    .where('purpose', '=', 'confirm')
    .returning('digest')
    .execute();
  if (!ended.some(other => other.digest === digest)) throw linkOver();
  const isMove = email !== user.email;
  if (isMove && (await isTaken(trx, email))) throw takenMeanwhile();
  await trx
    .updateTable('users')
    .set({ email, email_verified: true, ...(!user.email_verified && { updated_at: moment(now) }) })
    .where('id', '=', userId)
    .execute();
  await forgetBounces(trx, userId);
  if (!isMove) return;
  await trx.updateTable('subscriptions').set({ email }).where('user_id', '=', userId).execute();
  // The old mailbox is notified, and links that were mailed there before stop working.
  await endTokens(trx, context, userId);
  await queueNotice(trx, now, userId, 'address-left', { to: user.email });
  await queueNotice(trx, now, userId, 'address-changed', { to: email });
  await recordHistory(trx, context, { kind: 'address-changed', user: userId });
}

export async function sweepEmailLinks({ db, clock }: WriteContext): Promise<void> {
  await db.deleteFrom('email_links').where('expires_at', '<=', clock()).execute();
}

async function mailLink(trx: Kysely<Tables>, now: number, userId: string, email: string): Promise<void> {
  const link = { purpose: 'confirm', expires_at: now + linkLifeMs } as const;
  const token = await insertLink(trx, { id: userId, email }, link);
  await queueMail(trx, now, { kind: 'confirm', userId, data: { token, to: email } });
}

async function lockOwner(trx: Kysely<Tables>, userId: string): Promise<UserRow> {
  const user = await lockAccount(trx, userId);
  // Its links were deleted with it.
  if (user === undefined) throw linkOver();
  return user;
}

async function isTaken(trx: Kysely<Tables>, email: string): Promise<boolean> {
  const other = await trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  return other !== undefined;
}

function takenMeanwhile(): AppError {
  return new AppError(
    'already-exists',
    'Another account now uses this email address, so your email was not changed.',
  );
}
