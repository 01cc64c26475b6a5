import type { Kysely } from 'kysely';
import { AppError, fieldError } from '../../../contract/errors.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { isAdminAccount } from '../../access/user-counts.ts';
import { isUnproven } from '../../access/viewer.ts';
import type { Config } from '../../config.ts';
import { readSetting, writeSetting } from '../../db/setting.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { queueNotice } from '../../mail/write.ts';
import { asksForCode } from '../sign-in/pending-sign-in.ts';
import { newRecoveryCodes, recoveryDigest, stepOf } from './codes.ts';

type FactorDeps = WriteContext & { config: Config };

/** Whether an account has a second factor, and how many recovery codes it has left. */
export async function describeFactor(
  db: Kysely<Tables>,
  userId: string,
): Promise<{ isOn: boolean; recoveryCodesLeft: number }> {
  const codes = await db
    .selectFrom('recovery_codes')
    .select('digest')
    .where('user_id', '=', userId)
    .execute();
  return { isOn: await asksForCode(db, userId), recoveryCodesLeft: codes.length };
}

/**
 * Turns on the second factor with this secret, or replaces it; ends all sessions except `sessionId`, and
 * mails the owner. Returns the recovery codes. Throws invalid-argument for a wrong code, and as
 * {@link askFactorAllowed}.
 */
export async function turnOnFactor(
  context: FactorDeps,
  userId: string,
  { secret, code, sessionId }: { secret: string; code: string; sessionId: string },
): Promise<string[]> {
  const step = stepOf(secret, code, context);
  if (step === undefined) {
    throw fieldError('code', 'This is not the code that the app makes now. Please enter the next one.');
  }
  return await inTransaction(context, async trx => {
    await lockForFactor(trx, context, userId);
    await trx.deleteFrom('second_factors').where('user_id', '=', userId).execute();
    await trx
      .insertInto('second_factors')
      .values({ user_id: userId, secret, last_step: step, created_at: context.clock() })
      .execute();
    // These sessions began without a code; a new sign-in asks for one.
    await trx.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', sessionId).execute();
    await trx.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute();
    await touchAccounts(trx).where('id', '=', userId).execute();
    await queueNotice(trx, context.clock(), userId, 'second-factor-on');
    await recordHistory(trx, context, { kind: 'second-factor-on', user: userId });
    return await replaceRecoveryCodes(trx, userId);
  });
}

/**
 * Throws failed-precondition for an account that may not turn on a second factor now: without a recent
 * sign-in, or, where the site sends mail, until its address is confirmed.
 */
export async function askFactorAllowed(context: FactorDeps, userId: string): Promise<void> {
  await inTransaction(context, trx => lockForFactor(trx, context, userId));
}

async function lockForFactor(trx: Kysely<Tables>, context: FactorDeps, userId: string): Promise<void> {
  const user = await lockAccount(trx, userId);
  // A stranger who signed up with the address would lock its owner out: no mail bypasses a second factor.
  if (context.config.smtpUrl !== undefined && user !== undefined && isUnproven(user)) {
    throw new AppError(
      'failed-precondition',
      'Confirm your email address first. Then you can set up a second factor.',
    );
  }
  await context.requireRecentSignIn(trx);
}

/** Replaces all recovery codes by new ones. Throws failed-precondition without a second factor. */
export async function renewRecoveryCodes(context: WriteContext, userId: string): Promise<string[]> {
  return await inTransaction(context, async trx => {
    await lockAccount(trx, userId);
    await context.requireRecentSignIn(trx);
    if (!(await asksForCode(trx, userId))) {
      throw new AppError('failed-precondition', 'Your account has no second factor.');
    }
    await queueNotice(trx, context.clock(), userId, 'recovery-codes-made');
    await recordHistory(trx, context, { kind: 'recovery-codes-made', user: userId });
    return await replaceRecoveryCodes(trx, userId);
  });
}

async function replaceRecoveryCodes(trx: Kysely<Tables>, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await trx
    .insertInto('recovery_codes')
    .values(codes.map(code => ({ digest: recoveryDigest(userId, code), user_id: userId })))
    .execute();
  return codes;
}

/** Mails the owner of an account that somebody logged in with one of its recovery codes. */
export async function tellOfRecovery(
  trx: Kysely<Tables>,
  context: WriteContext,
  userId: string,
): Promise<void> {
  await queueNotice(trx, context.clock(), userId, 'recovery-code-used');
  await recordHistory(trx, context, { kind: 'recovery-code-used', user: userId, isByUser: true });
}

/**
 * Turns off the second factor of an account, and mails its owner. Returns whether it was on. Throws
 * failed-precondition for an admin's own if the site requires it of admins.
 */
export async function turnOffFactor(
  context: WriteContext,
  userId: string,
  { isOwn = false }: { isOwn?: boolean } = {},
): Promise<boolean> {
  return await inTransaction(context, async trx => {
    await lockAccount(trx, userId);
    await context.requireRecentSignIn(trx);
    const { numDeletedRows } = await trx
      .deleteFrom('second_factors')
      .where('user_id', '=', userId)
      .executeTakeFirst();
    await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
    if (numDeletedRows === 0n) return false;
    const { is_admin } = await touchAccounts(trx)
      .where('id', '=', userId)
      .returning('is_admin')
      .executeTakeFirstOrThrow();
    if (isOwn && is_admin && (await isRequiredOfAdmins(trx))) {
      throw new AppError('failed-precondition', 'This site requires a second factor of its admins.');
    }
    await queueNotice(trx, context.clock(), userId, 'second-factor-off');
    await recordHistory(trx, context, { kind: 'second-factor-off', user: userId });
    return true;
  });
}

/** Whether the site requires a second factor of admins; `accountRows` (access/viewer.ts) enforces it. */
export async function isRequiredOfAdmins(db: Kysely<Tables>): Promise<boolean> {
  return (await readSetting(db, 'admin-factor')) === 'required';
}

/** Touches accounts whose rights a second factor changes, so that triggers record the change. */
function touchAccounts(trx: Kysely<Tables>) {
  return trx.updateTable('users').set(eb => ({ name: eb.ref('name') }));
}

/**
 * Starts or stops requiring a second factor of admins. Throws failed-precondition for an admin without one,
 * who would lose their rights.
 */
export async function setAdminFactor(
  context: WriteContext,
  adminId: string,
  isRequired: boolean,
): Promise<void> {
  await inTransaction(context, async trx => {
    await context.requireRecentSignIn(trx);
    if (isRequired && !(await asksForCode(trx, adminId))) {
      throw new AppError(
        'failed-precondition',
        'Turn on the second factor of your own account first, on your account page.',
      );
    }
    const value = isRequired ? 'required' : 'optional';
    await writeSetting(trx, 'admin-factor', value);
    await touchAccounts(trx).where(isAdminAccount).execute();
    await recordHistory(trx, context, { kind: 'admin-factor-changed', after: value });
  });
}
