import type { Kysely } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { newToken } from '../../base/secrets.ts';
import type { Config } from '../../config.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { forgetBounces } from '../../mail/bounces.ts';
import { namedAccount } from '../members/read.ts';
import type { Auth } from '../sessions/auth.ts';
import { linkOver, mapAuthError } from '../sessions/auth-api.ts';
import { disconnect, endAccess, removeUnprovenPasskeys } from '../sessions/end-access.ts';
import { storePassword } from './passwords.ts';

/** A mail with a link that sets a password is not sent again within this time, in milliseconds. */
const resendMs = 5 * 60_000;

/** Tells the token of a link that an admin was given from one that was mailed. */
const handedPrefix = 'handed-';

const resetIdentifier = (token: string) => `reset-password:${token}`;

/**
 * Mails a one-time link to the account with this address; does nothing that shows when there is none. Asked
 * for again within minutes, the link that is on its way already is enough.
 */
export async function requestReset(
  { auth, db, clock }: DbContext & { auth: Auth },
  email: string,
): Promise<void> {
  const onItsWay = await db
    .selectFrom('users')
    .innerJoin('mails', 'mails.user_id', 'users.id')
    .innerJoin('verifications', 'verifications.value', 'users.id')
    .select('mails.id')
    .where('users.email', '=', email)
    .where('mails.kind', '=', 'reset')
    .where('mails.state', 'in', ['queued', 'sent'])
    .where('mails.created_at', '>', clock() - resendMs)
    .limit(1)
    .executeTakeFirst();
  if (onItsWay === undefined) await mapAuthError(auth.api.requestPasswordReset({ body: { email } }));
}

/**
 * Sets a password with a one-time token; every session ends, and whatever else opens the account. Whoever has
 * the token from a mail has shown that they read the mailbox. Throws failed-precondition for a token that was
 * used or has ended.
 */
export async function resetPassword(
  resetting: DbContext & { auth: Auth; config: Config },
  token: string,
  password: string,
): Promise<void> {
  const { auth, db, config } = resetting;
  const { internalAdapter, password: hashing } = await auth.$context;
  const link = await internalAdapter.findVerificationValue(resetIdentifier(token));
  if (link === null || link.expiresAt.getTime() <= Date.now()) throw linkOver();
  const userId = link.value;
  const hash = await hashing.hash(password);
  await inTransaction({ db, ...unguarded }, async trx => {
    const account = await lockAccount(trx, userId);
    // Asked after the hashing, and in the transaction that sets the password: whatever ended the link
    // meanwhile took its row, and a link that is used has done all of this or nothing.
    const { numDeletedRows } = await trx
      .deleteFrom('verifications')
      .where('id', '=', link.id)
      .executeTakeFirst();
    if (account === undefined || numDeletedRows === 0n) throw linkOver();
    await endAccess(trx, userId);
    await disconnect(trx, userId);
    // The link would have ended, had the account another address than the one that it was mailed to.
    const wasMailed = config.smtpUrl !== undefined && !token.startsWith(handedPrefix);
    if (wasMailed) {
      await noteFirstProof(trx, resetting, userId);
      await forgetBounces(trx, userId);
    }
    await storePassword(trx, resetting, userId, { hash, kind: 'password-reset' });
  });
}

/** Notes that somebody reads the mailbox of an account. */
async function noteFirstProof(
  trx: Kysely<Tables>,
  acting: Pick<DbContext, 'by' | 'clock'>,
  userId: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ email_verified: true, updated_at: moment(acting.clock()) })
    .where('id', '=', userId)
    .where('email_verified', '=', false)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await removeUnprovenPasskeys(trx, acting, userId);
}

/**
 * A one-time link that sets a new password, for who administers a site without mail. It works for an hour.
 */
export async function resetLink(
  making: DbContext & { auth: Auth; config: Config },
  userId: string,
): Promise<string> {
  const { auth, config, db } = making;
  const token = handedPrefix + newToken();
  const { internalAdapter } = await auth.$context;
  await inTransaction({ db, ...unguarded }, async trx =>
    recordHistory(trx, making, { kind: 'reset-link-made', user: await namedAccount(trx, userId) }),
  );
  await internalAdapter.createVerificationValue({
    identifier: resetIdentifier(token),
    value: userId,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return `${config.publicUrl}/reset-password?token=${token}`;
}
