import type { Kysely } from 'kysely';
import type { NewAccount } from '../../../contract/accounts/sign-in.ts';
import { AppError, fieldError } from '../../../contract/errors.ts';
import { createId } from '../../base/id.ts';
import { isDuplicate } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, unguarded, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { namedAccount } from '../members/read.ts';
import { endAccess } from '../sessions/end-access.ts';
import {
  beginSession,
  finishSignIn,
  type SignInDeps,
  sessionOfCookie,
  signInOver,
} from '../sessions/new-session.ts';
import { tokenOfRequest } from '../sessions/session-token.ts';
import { forgetSession } from '../sessions/sessions.ts';
import { isImportedHash } from './imported-passwords.ts';
import { insertAccount } from './insert.ts';
import { passwordRow } from './password-row.ts';
import { codeNeeded } from './pending-sign-in.ts';

/**
 * Creates an account, pending approval, and signs it in. Returns its id. Throws already-exists when the
 * username or the address is taken.
 */
export async function signUp(
  deps: SignInDeps,
  { password, ...newcomer }: NewAccount & { introduction?: string | undefined },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const id = createId();
  const passwordHash = await deps.hashing.hash(password);
  const act = () =>
    inTransaction({ db: deps.db, ...unguarded }, async trx => {
      const email = newcomer.email.toLowerCase();
      await refuseTaken(trx, newcomer.username, email);
      await insertAccount(trx, {
        ...newcomer,
        id,
        email,
        isEmailVerified: false,
        passwordHash,
        status: 'pending',
        isAdmin: false,
        createdAt: deps.clock(),
        decidedAt: null,
      });
      return await beginSession(trx, deps, { userId: id });
    });
  // Where somebody takes the username or the address at the same moment, it is found, and named.
  const begun = await act().catch(error => {
    if (!isDuplicate(error)) throw error;
    return act();
  });
  if (begun === 'refused' || 'pending' in begun) throw signInOver();
  await finishSignIn(deps, before, begun.session, { isFirst: true });
  return id;
}

async function refuseTaken(trx: Kysely<Tables>, username: string, email: string): Promise<void> {
  const taken = await trx
    .selectFrom('users')
    .select(['username', 'email'])
    .where(eb => eb.or([eb('username', '=', username.toLowerCase()), eb('email', '=', email)]))
    .execute();
  if (taken.some(other => other.username === username.toLowerCase())) {
    throw fieldError('username', 'This username is already taken.', 'already-exists');
  }
  if (taken.length > 0) {
    throw fieldError('email', 'An account with this email address already exists.', 'already-exists');
  }
}

/**
 * Starts a session. Returns the account's id. Throws unauthenticated, the same for an unknown address and a
 * wrong password; with `details.asks` where a code is missing (pending-sign-in.ts).
 */
export async function signIn(
  deps: SignInDeps,
  { email, password, isLong }: { email: string; password: string; isLong?: boolean },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const known = await passwordRow(deps.db, { email });
  if (known?.password == null) {
    // So that the time does not tell which addresses have an account.
    await deps.hashing.hash(password);
    throw wrongCredentials();
  }
  if (!(await deps.hashing.verify({ hash: known.password, password }))) throw wrongCredentials();
  const userId = known.user_id;
  const begun = await inTransaction({ db: deps.db, ...unguarded }, trx =>
    beginSession(trx, deps, { userId, isLong }, async () => {
      // Comparing takes a while: the password may have been changed since, or hashed anew.
      const now = (await passwordRow(trx, { id: userId }))?.password ?? null;
      return now !== null && (now === known.password || (await deps.hashing.verify({ hash: now, password })));
    }),
  );
  if (begun === 'refused') throw wrongCredentials();
  await hashAnew(deps, userId, password);
  if ('pending' in begun) throw codeNeeded(deps, begun.pending);
  await finishSignIn(deps, before, begun.session);
  return userId;
}

function wrongCredentials(): AppError {
  return new AppError('unauthenticated', 'Invalid email or password.');
}

/** A password that came with an import is hashed as ours are once it has shown that it is right. */
async function hashAnew({ hashing, db }: SignInDeps, userId: string, password: string): Promise<void> {
  const account = await passwordRow(db, { id: userId });
  if (account?.password == null || !isImportedHash(account.password)) return;
  await db
    .updateTable('accounts')
    .set({ password: await hashing.hash(password) })
    .where('id', '=', account.id)
    // Not over one that was set meanwhile.
    .where('password', '=', account.password)
    .execute();
}

/** Ends the session of the request, if there is one. */
export async function signOut(deps: SignInDeps): Promise<void> {
  const token = tokenOfRequest(deps.secret, deps);
  if (token !== undefined) await deps.db.deleteFrom('sessions').where('token', '=', token).execute();
  forgetSession(deps);
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
