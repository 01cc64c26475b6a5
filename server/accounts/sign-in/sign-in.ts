import type { NewAccount } from '../../../contract/accounts/sign-in.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { namedAccount } from '../members/read.ts';
import {
  mapAuthError,
  passwordRow,
  type RequestDeps,
  type SignInDeps,
  wrongCredentials,
} from '../sessions/auth-api.ts';
import { endAccess } from '../sessions/end-access.ts';
import {
  finishSignIn,
  type Kept,
  keepSessionIf,
  sessionOfCookie,
  signInOver,
} from '../sessions/new-session.ts';
import { copyCookies, credentialHeaders } from '../sessions/sessions.ts';
import { isImportedHash } from './imported-passwords.ts';
import { codeNeeded } from './pending-sign-in.ts';

/**
 * Creates an account, pending approval, and signs it in. Returns its id. Throws already-exists when the
 * username or the address is taken.
 */
export async function signUp(
  deps: SignInDeps,
  account: NewAccount & { introduction?: string | undefined },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const { headers, response } = await mapAuthError(
    deps.auth.api.signUpEmail({
      body: {
        email: account.email,
        password: account.password,
        name: account.name,
        username: account.username,
        displayUsername: account.username,
        ...(account.introduction && { introduction: account.introduction }),
      },
      headers: credentialHeaders(deps),
      returnHeaders: true,
    }),
  );
  const userId = response.user.id;
  const made = { headers, token: response.token ?? '', userId };
  const kept = await keepSessionIf(deps, made, async () => true);
  if (kept === 'ended' || 'pending' in kept) throw signInOver();
  await finishSignIn(deps, before, kept.session, { isFirst: true });
  return userId;
}

/**
 * Starts a session. Returns the account's id. Throws unauthenticated, the same for an unknown address and a
 * wrong password; with `details.asks` where a code is missing (pending-sign-in.ts).
 */
export async function signIn(
  deps: SignInDeps,
  { isLong, ...credentials }: { email: string; password: string; isLong?: boolean },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const known = await passwordRow(deps.db, { email: credentials.email });
  const { headers, response } = await mapAuthError(
    deps.auth.api.signInEmail({
      body: credentials,
      headers: credentialHeaders(deps, { isLong }),
      returnHeaders: true,
    }),
  );
  const userId = response.user.id;
  const made = { headers, token: response.token, user: response.user, isLong };
  const kept = await keepIfCurrent(deps, made, known?.password, credentials.password);
  await hashAnew(deps, userId, credentials.password);
  if ('pending' in kept) throw codeNeeded(deps, kept.pending);
  await finishSignIn(deps, before, kept.session);
  return userId;
}

/**
 * Hashing takes a while: a password that was right when it began may have been changed since, which ended all
 * sessions before this one was made. Throws as for a wrong password.
 */
async function keepIfCurrent(
  deps: SignInDeps,
  made: { headers: Headers; token: string; user: { id: string }; isLong: boolean | undefined },
  hash: string | null | undefined,
  password: string,
): Promise<Exclude<Kept, 'ended'>> {
  const hashing = (await deps.auth.$context).password;
  const { user, ...session } = made;
  const kept = await keepSessionIf(deps, { ...session, userId: user.id }, async trx => {
    const now = (await passwordRow(trx, { id: user.id }))?.password ?? null;
    // The same password may have been hashed anew meanwhile.
    return now !== null && (now === hash || (await hashing.verify({ hash: now, password })));
  });
  if (kept === 'ended') throw wrongCredentials();
  return kept;
}

/** A password that came with an import is hashed as ours are once it has shown that it is right. */
async function hashAnew({ auth, db }: SignInDeps, userId: string, password: string): Promise<void> {
  const account = await passwordRow(db, { id: userId });
  if (account?.password == null || !isImportedHash(account.password)) return;
  const hashing = (await auth.$context).password;
  await db
    .updateTable('accounts')
    .set({ password: await hashing.hash(password) })
    .where('id', '=', account.id)
    // Not over one that was set meanwhile.
    .where('password', '=', account.password)
    .execute();
}

/** Ends the session of the request, if there is one. */
export async function signOut(deps: RequestDeps): Promise<void> {
  const { headers } = await mapAuthError(
    deps.auth.api.signOut({ headers: credentialHeaders(deps), returnHeaders: true }),
  );
  copyCookies(headers, deps.replyHeaders);
}

/**
 * Ends every session of the account, this one too. By its id: a program with an access token has no session
 * to ask by.
 */
export async function signOutEverywhere(deps: SignInDeps & WriteContext, userId: string): Promise<void> {
  await inTransaction(deps, async trx => {
    await endAccess(trx, userId);
    await recordHistory(trx, deps, { kind: 'sessions-ended', user: await namedAccount(trx, userId) });
  });
  await signOut(deps);
}
