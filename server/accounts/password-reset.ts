import { randomBytes } from 'node:crypto';
import { inTransaction } from '../db/transaction.ts';
import type { Deps, Invocation } from '../deps.ts';
import { recordHistory } from '../history/write.ts';
import { queueNotice } from '../mail/write.ts';
import { disconnect, endAccess } from './access-token.ts';
import { translated } from './auth-api.ts';
import { removeUnprovenPasskeys } from './first-proof.ts';
import { namedAccount } from './read.ts';

/** A mail with a link that sets a password is not sent again within this time, in milliseconds. */
const resendMs = 5 * 60_000;

/** Tells the token of a link that an admin was given from one that was mailed. */
const handedPrefix = 'handed-';

const resetIdentifier = (token: string) => `reset-password:${token}`;

/**
 * Mails a one-time link to the account with this address; does nothing that shows when there is none. Asked for again
 * within minutes, the link that is on its way already is enough.
 */
export async function requestReset(
  { auth, db, clock }: Pick<Deps, 'auth' | 'db' | 'clock'>,
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
  if (onItsWay === undefined) await translated(auth.api.requestPasswordReset({ body: { email } }));
}

/**
 * Sets a password with a one-time token; every session ends. Whoever has the token from a mail has shown that they read
 * the mailbox. Throws failed-precondition for a token that was used.
 */
export async function resetPassword(
  resetting: Pick<Invocation, 'auth' | 'db' | 'config' | 'clock' | 'by'>,
  token: string,
  password: string,
): Promise<void> {
  const { auth, db, config } = resetting;
  const { internalAdapter } = await auth.$context;
  const link = await internalAdapter.findVerificationValue(resetIdentifier(token));
  await translated(auth.api.resetPassword({ body: { token, newPassword: password } }));
  const wasMailed = config.smtpUrl !== undefined && !token.startsWith(handedPrefix);
  if (link === null) return;
  await inTransaction({ db }, async trx => {
    // The link would have ended, had the account another address than the one that it was mailed to.
    if (wasMailed) await noteFirstProof(trx, resetting, link.value);
    const { clock, by } = resetting;
    const at = clock();
    await queueNotice(trx, at, link.value, 'password-changed', { at, address: by?.address ?? null });
    await recordHistory(trx, resetting, {
      kind: 'password-reset',
      user: await namedAccount(trx, link.value),
    });
  });
}

/** Notes that somebody reads the mailbox of an account. */
async function noteFirstProof(
  trx: Deps['db'],
  acting: Pick<Invocation, 'clock' | 'by'>,
  userId: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ email_verified: true })
    .where('id', '=', userId)
    .where('email_verified', '=', false)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await removeUnprovenPasskeys(trx, acting, userId);
  // Since the password was set, one of them may have signed in, and connected somebody of a provider.
  await endAccess(trx, userId);
  await disconnect(trx, userId);
}

/** A one-time link that sets a new password, for who administers a site without mail. It works for an hour. */
export async function resetLink(
  making: Pick<Invocation, 'auth' | 'config' | 'db' | 'clock' | 'by'>,
  userId: string,
): Promise<string> {
  const { auth, config, db } = making;
  const token = handedPrefix + randomBytes(24).toString('base64url');
  const { internalAdapter } = await auth.$context;
  await inTransaction({ db }, async trx =>
    recordHistory(trx, making, { kind: 'reset-link-made', user: await namedAccount(trx, userId) }),
  );
  await internalAdapter.createVerificationValue({
    identifier: resetIdentifier(token),
    value: userId,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return `${config.publicUrl}/reset-password?token=${token}`;
}
