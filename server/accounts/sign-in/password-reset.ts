import type { Kysely } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { shownEmail } from '../../access/shown-email.ts';
import { isUnproven } from '../../access/viewer.ts';
import { hourMs } from '../../base/clock.ts';
import { digestOf } from '../../base/secrets.ts';
import type { Config } from '../../config.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { forgetBounces } from '../../mail/bounces.ts';
import { queueMail } from '../../mail/write.ts';
import { disconnect, endAccess, removeUnprovenPasskeys } from '../sessions/end-access.ts';
import { insertLink, linkOver, openLinks } from './mailed-links.ts';
import type { PasswordHashing } from './password-hashing.ts';
import { storePassword } from './passwords.ts';

/** How long a link works. */
const lifeMs = hourMs;
/** While a mailed link is younger than this, no second one is mailed. */
const resendMs = 5 * 60_000;

/**
 * Mails a one-time link to the account with this address; the answer does not reveal whether there is one.
 * Asked again within minutes, it sends no second mail.
 */
export async function requestReset({ db, clock }: DbContext, email: string, next?: string): Promise<void> {
  const now = clock();
  await inTransaction({ db, ...unguarded }, async trx => {
    const found = await trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
    const user = found && (await lockAccount(trx, found.id));
    if (user === undefined) return;
    const onItsWay = await openLinks({ db: trx, clock }, 'reset')
      .select('digest')
      .where('user_id', '=', user.id)
      .where('expires_at', '>', now + lifeMs - resendMs)
      .executeTakeFirst();
    if (onItsWay !== undefined) return;
    const token = await insertLink(trx, user, { purpose: 'reset', expires_at: now + lifeMs });
    await queueMail(trx, now, {
      kind: 'reset',
      userId: user.id,
      data: { token, ...(next !== undefined && { next }) },
    });
  });
}

/** The account that a link opens; null if it is no longer valid. Does not use it up. */
export async function describeReset(
  context: DbContext,
  token: string,
): Promise<{ username: string; email: string } | null> {
  const row = await linkOf(context, token)
    .select(['users.display_username as username', 'users.email'])
    .executeTakeFirst();
  return row === undefined ? null : { username: row.username, email: shownEmail(row.email) };
}

function linkOf(context: Pick<DbContext, 'db' | 'clock'>, token: string) {
  return openLinks(context, 'reset', 'handed reset').where('digest', '=', digestOf(token));
}

/**
 * Sets a password with a one-time token and ends every session and all other access. A token from a mail
 * proves the mailbox. Throws failed-precondition for a used or expired token.
 */
export async function resetPassword(
  resetting: DbContext & { hashing: PasswordHashing; config: Config },
  token: string,
  password: string,
): Promise<void> {
  const { db, config, hashing } = resetting;
  const link = await linkOf(resetting, token).select(['digest', 'user_id', 'purpose']).executeTakeFirst();
  if (link === undefined) throw linkOver();
  const userId = link.user_id;
  const hash = await hashing.hash(password);
  await inTransaction({ db, ...unguarded }, async trx => {
    const account = await lockAccount(trx, userId);
    // Deleted after the hashing, in the transaction that sets the password: a link that ended meanwhile has
    // no row, and a used link has done all of this or nothing.
    const { numDeletedRows } = await trx
      .deleteFrom('email_links')
      .where('digest', '=', link.digest)
      .executeTakeFirst();
    if (account === undefined || numDeletedRows === 0n) throw linkOver();
    await endAccess(trx, resetting, userId);
    await disconnect(trx, userId);
    // A change of the address would have ended the link. Without mail an admin passed it on, which proves no
    // mailbox.
    if (link.purpose === 'reset' && config.smtpUrl !== undefined) {
      await noteFirstProof(trx, resetting, userId);
      await forgetBounces(trx, userId);
    }
    await storePassword(trx, resetting, userId, { hash, kind: 'password-reset' });
  });
}

/** Records that somebody reads the mailbox of an account. */
async function noteFirstProof(
  trx: Kysely<Tables>,
  acting: Pick<DbContext, 'by' | 'clock'>,
  userId: string,
): Promise<void> {
  const proven = await trx
    .updateTable('users')
    .set({ email_verified: true, updated_at: moment(acting.clock()) })
    .where('id', '=', userId)
    .where('email_verified', '=', false)
    .returning('is_admin')
    .executeTakeFirst();
  if (proven === undefined) return;
  // An admin's passkeys are their own: nobody signs up as an admin.
  if (isUnproven({ email_verified: false, is_admin: proven.is_admin }))
    await removeUnprovenPasskeys(trx, acting, userId);
}

/** A one-time link that sets a new password, for admins of a site without mail. Valid for an hour. */
export async function resetLink(making: DbContext & { config: Config }, userId: string): Promise<string> {
  const { clock, config, db } = making;
  const token = await inTransaction({ db, ...unguarded }, async trx => {
    const account = await lockAccount(trx, userId);
    if (account === undefined) throw new AppError('not-found', 'User not found.');
    await recordHistory(trx, making, { kind: 'reset-link-made', user: userId });
    return await insertLink(trx, account, { purpose: 'handed reset', expires_at: clock() + lifeMs });
  });
  return `${config.publicUrl}/reset-password?token=${token}`;
}
