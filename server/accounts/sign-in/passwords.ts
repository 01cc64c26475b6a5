import type { Kysely } from 'kysely';
import { AppError, fieldError } from '../../../contract/errors.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { lastShown } from '../../access/recent-sign-in.ts';
import type { CredentialKey } from '../../access/viewer.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { queueNotice } from '../../mail/write.ts';
import { disconnect, endAccess } from '../sessions/end-access.ts';
import { currentSession, handOver, type SignInDeps, startExpectedSession } from '../sessions/new-session.ts';
import { signInMethod } from './insert.ts';
import { passwordRow } from './password-row.ts';
import { asksForCode } from './pending-sign-in.ts';

/** Whether an account has a password. */
export async function hasPassword(db: Kysely<Tables>, userId: string): Promise<boolean> {
  return (await passwordRow(db, { id: userId }))?.password != null;
}

/** Returns the hash of a right password. Throws invalid-argument for a wrong one. */
export async function checkPassword(
  { db, hashing }: Pick<SignInDeps, 'db' | 'hashing'>,
  userId: string,
  password: string,
): Promise<string> {
  const hash = (await passwordRow(db, { id: userId }))?.password;
  if (hash == null || !(await hashing.verify({ hash, password }))) {
    throw fieldError('currentPassword', 'Wrong password.');
  }
  return hash;
}

/**
 * Records a confirmation at `shownAt` (milliseconds) in a session, for actions that need a recent sign-in;
 * keeps the later of the two times. False if the session has ended.
 */
export async function noteConfirmation(
  trx: Kysely<Tables>,
  credential: CredentialKey | null,
  shownAt: number,
): Promise<boolean> {
  if (credential?.kind !== 'session') return false;
  const session = await dialectOf(trx)
    .forUpdate(
      trx
        .selectFrom('sessions')
        .select(['id', 'created_at', 'password_given_at'])
        .where('id', '=', credential.id),
    )
    .executeTakeFirst();
  if (session === undefined) return false;
  await trx
    .updateTable('sessions')
    .set({ password_given_at: Math.max(lastShown(session), shownAt) })
    .where('id', '=', session.id)
    .execute();
  return true;
}

/** Throws failed-precondition without a recent sign-in. */
export async function askRecentSignIn(deps: WriteContext): Promise<void> {
  await inTransaction(deps, async trx => await deps.requireRecentSignIn(trx));
}

/**
 * Gives a password to an account without one. Other access stays: no intruder can have known a password.
 * Throws failed-precondition if the account has one.
 */
export async function setFirstPassword(
  deps: SignInDeps & WriteContext,
  userId: string,
  password: string,
): Promise<void> {
  // Checked before hashing, too: an old session could otherwise make the server hash any number of passwords.
  await askRecentSignIn(deps);
  const hash = await deps.hashing.hash(password);
  await inTransaction(deps, async trx => {
    await lockAccount(trx, userId);
    await deps.requireRecentSignIn(trx);
    if (await hasPassword(trx, userId)) {
      throw new AppError(
        'failed-precondition',
        'Your account has a password by now. Please reload the page.',
      );
    }
    await storePassword(trx, deps, userId, { hash, kind: 'password-changed' });
  });
}

/**
 * Stores an account's password, first or new, and tells its owner by mail. In a transaction that locks the
 * account.
 */
export async function storePassword(
  trx: Kysely<Tables>,
  context: Pick<DbContext, 'by' | 'clock'>,
  userId: string,
  { hash, kind }: { hash: string; kind: 'password-changed' | 'password-reset' },
): Promise<void> {
  const at = context.clock();
  const known = await passwordRow(trx, { id: userId });
  if (known === undefined) {
    const method = signInMethod({ userId, passwordHash: hash, createdAt: at });
    await trx.insertInto('sign_in_methods').values(method).execute();
  } else {
    await trx.updateTable('sign_in_methods').set({ password: hash }).where('id', '=', known.id).execute();
  }
  await queueNotice(trx, at, userId, 'password-changed', { at, address: context.by?.address ?? null });
  await recordHistory(trx, context, { kind, user: userId });
}

/**
 * Changes the password, ends all other access, and begins a new session for the caller. Throws as {@link
 * checkPassword}; aborted if the password has changed meanwhile; failed-precondition for an account with a
 * second factor without a recent sign-in.
 */
export async function changePassword(
  deps: SignInDeps & WriteContext,
  userId: string,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const isLong = (await currentSession(deps))?.isLong;
  const before = await checkPassword(deps, userId, currentPassword);
  const hash = await deps.hashing.hash(newPassword);
  const session = await inTransaction(deps, async trx => {
    await lockAccount(trx, userId);
    // Hashing takes a while, so this is checked again.
    if (await asksForCode(trx, userId)) await deps.requireRecentSignIn(trx);
    if ((await passwordRow(trx, { id: userId }))?.password !== before) {
      throw new AppError('aborted', 'Your password has been changed meanwhile. Please reload the page.');
    }
    await endAccess(trx, deps, userId);
    await disconnect(trx, userId);
    await storePassword(trx, deps, userId, { hash, kind: 'password-changed' });
    return await startExpectedSession(trx, deps, { userId, isLong });
  });
  handOver(deps, session);
}
