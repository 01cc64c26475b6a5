import { AppError } from '../../contract/errors.ts';
import type { Credential } from '../access/hold-rights.ts';
import { dialectOf } from '../db/dialect.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { recordHistory } from '../history/write.ts';
import { queueNotice } from '../mail/write.ts';
import { disconnect, endTokens } from './access-token.ts';
import {
  currentSession,
  handOver,
  passwordHash,
  type RequestDeps,
  type SignInDeps,
  translated,
} from './auth-api.ts';
import { signInMethod } from './insert.ts';
import { browserOf, forgetBrowsers, knowBrowser, markBrowser } from './known-browsers.ts';
import { namedAccount } from './read.ts';
import { credentialHeaders } from './sessions.ts';

/** Whether an account can be opened with a password. */
export async function hasPassword(db: Deps['db'], userId: string): Promise<boolean> {
  return (await passwordHash(db, { id: userId }))?.password != null;
}

/** Throws invalid-argument when it is not the password of the account. */
export async function checkPassword(deps: RequestDeps, password: string): Promise<void> {
  const headers = credentialHeaders(deps);
  await translated(deps.auth.api.verifyPassword({ body: { password }, headers }));
}

/**
 * Notes with a session that its owner has shown once more who they are, at `shownAt` in milliseconds: for what asks for a recent
 * sign-in. Nothing is noted over what was shown later. Returns false where the session has ended.
 */
export async function noteConfirmation(
  trx: Deps['db'],
  credential: Credential | null,
  shownAt = Date.now(),
): Promise<boolean> {
  if (credential?.kind !== 'session') return false;
  const { numUpdatedRows } = await trx
    .updateTable('sessions')
    // The time of day itself, by which better-auth dates sessions.
    .set(({ eb }) => ({
      password_given_at: eb
        .case()
        .when('password_given_at', '>', shownAt)
        .then(eb.ref('password_given_at'))
        .else(shownAt)
        .end(),
    }))
    .where('id', '=', credential.id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Throws failed-precondition for somebody who has not shown a short while ago who they are. */
export async function askRecentSignIn(deps: WriteContext): Promise<void> {
  await inTransaction(deps, async trx => await deps.requireRecentSignIn?.(trx));
}

/**
 * Gives a password to an account that has none. What else opens the account stays: nobody has had a password until now who
 * could have used it. Throws failed-precondition for an account that has one.
 */
export async function setFirstPassword(
  deps: SignInDeps & WriteContext,
  userId: string,
  password: string,
): Promise<void> {
  const hash = await (await deps.auth.$context).password.hash(password);
  await inTransaction(deps, async trx => {
    await dialectOf(trx)
      .forUpdate(trx.selectFrom('users').select('id').where('id', '=', userId))
      .execute();
    await deps.requireRecentSignIn?.(trx);
    if (await hasPassword(trx, userId)) {
      throw new AppError(
        'failed-precondition',
        'Your account has a password by now. Please reload the page.',
      );
    }
    const at = deps.clock();
    await trx
      .insertInto('accounts')
      .values(signInMethod({ userId, passwordHash: hash, createdAt: at }))
      .execute();
    await queueNotice(trx, at, userId, 'password-changed', { at, address: deps.peer });
    await recordHistory(trx, deps, { kind: 'password-changed', user: await namedAccount(trx, userId) });
  });
}

/**
 * Changes the password, ends every session, token and link, and begins a new session for who asks. Throws as
 * {@link checkPassword}.
 */
export async function changePassword(
  deps: SignInDeps,
  userId: string,
  passwords: { currentPassword: string; newPassword: string },
): Promise<void> {
  const isLong = (await currentSession(deps))?.isLong;
  const { headers } = await translated(
    deps.auth.api.changePassword({
      body: { ...passwords, revokeOtherSessions: true },
      headers: credentialHeaders(deps, { isLong }),
      returnHeaders: true,
    }),
  );
  const browser = browserOf(deps);
  // After the sessions, with one of which a token could otherwise be made in between.
  await inTransaction({ db: deps.db }, async trx => {
    await endTokens(trx, userId);
    await disconnect(trx, userId);
    await forgetBrowsers(trx, userId);
    const at = deps.clock();
    await knowBrowser(trx, at, { userId, browser });
    await queueNotice(trx, at, userId, 'password-changed', { at, address: deps.peer });
    await recordHistory(trx, deps, { kind: 'password-changed', user: await namedAccount(trx, userId) });
  });
  handOver(headers, deps, { isLong });
  markBrowser(deps, browser);
}
