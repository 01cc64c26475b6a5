import type { Kysely } from 'kysely';
import type { NewAccount } from '../../../contract/accounts/sign-in.ts';
import { AppError, fieldError } from '../../../contract/errors.ts';
import { createId } from '../../base/id.ts';
import { isDuplicate } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, unguarded, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { endAccess } from '../sessions/end-access.ts';
import {
  beginSession,
  handOver,
  type SignInDeps,
  sessionOfCookie,
  startExpectedSession,
} from '../sessions/new-session.ts';
import { tokenOfRequest } from '../sessions/session-token.ts';
import { forgetSession } from '../sessions/sessions.ts';
import { isImportedHash } from './imported-passwords.ts';
import { insertAccount } from './insert.ts';
import { passwordRow } from './password-row.ts';
import { codeNeeded } from './pending-sign-in.ts';

/**
 * Creates a pending account and signs it in. Returns its id. Throws already-exists for a taken username or
 * address.
 */
export async function signUp(
  deps: SignInDeps,
  account: NewAccount & { introduction?: string | undefined },
): Promise<string> {
  const newcomer = await prepareSignUp(deps, account);
  const session = await againIfTaken(() =>
    inTransaction({ db: deps.db, ...unguarded }, trx => signUpIn(trx, deps, newcomer)),
  );
  handOver(deps, session);
  return newcomer.id;
}

/** The parts of a sign-up that take too long for a transaction. */
export async function prepareSignUp(
  deps: SignInDeps,
  { password, ...account }: NewAccount & { introduction?: string | undefined },
) {
  const before = await sessionOfCookie(deps);
  return { ...account, id: createId(), before, passwordHash: await deps.hashing.hash(password) };
}

/** Like {@link signUp}, within a transaction. Returns the session, which is sent after the commit. */
export async function signUpIn(
  trx: Kysely<Tables>,
  deps: SignInDeps,
  { before, ...newcomer }: Awaited<ReturnType<typeof prepareSignUp>>,
) {
  await refuseTaken(trx, newcomer);
  await insertAccount(trx, {
    ...newcomer,
    isEmailVerified: false,
    status: 'pending',
    isAdmin: false,
    createdAt: deps.clock(),
    decidedAt: null,
  });
  return await startExpectedSession(trx, deps, { userId: newcomer.id, before });
}

/**
 * Tries once more if somebody took the username or the address meanwhile: the second attempt finds and names
 * it.
 */
export async function againIfTaken<Result>(act: () => Promise<Result>): Promise<Result> {
  return await act().catch(error => {
    if (!isDuplicate(error)) throw error;
    return act();
  });
}

async function refuseTaken(
  trx: Kysely<Tables>,
  { username, email }: Pick<NewAccount, 'username' | 'email'>,
): Promise<void> {
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
 * wrong password; with `details.asks` if a code is missing (pending-sign-in.ts).
 */
export async function signIn(
  deps: SignInDeps,
  { email, password, isLong }: { email: string; password: string; isLong?: boolean },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const { userId, hash } = await comparePassword(deps, { email, password });
  const signedIn = await inTransaction({ db: deps.db, ...unguarded }, trx => {
    // Comparing takes a while: the password may have changed since.
    const holds = async () => (await passwordRow(trx, { id: userId }))?.password === hash;
    return beginSession(trx, deps, { userId, isLong, before }, { holds, otherwise: wrongCredentials });
  });
  if ('pending' in signedIn) throw codeNeeded(deps, signedIn.pending);
  handOver(deps, signedIn.session);
  return userId;
}

/**
 * The account with this password, and the hash. An imported hash is replaced by ours once the password has
 * matched it. Throws unauthenticated for a wrong password.
 */
async function comparePassword(
  deps: SignInDeps,
  credentials: { email: string; password: string },
): Promise<{ userId: string; hash: string }> {
  const { db, hashing } = deps;
  const { email, password } = credentials;
  const known = await passwordRow(db, { email });
  if (known?.password == null) {
    // So that the time does not reveal which addresses have an account.
    await hashing.hash(password);
    throw wrongCredentials();
  }
  if (!(await hashing.verify({ hash: known.password, password }))) throw wrongCredentials();
  if (!isImportedHash(known.password)) return { userId: known.user_id, hash: known.password };
  const hash = await hashing.hash(password);
  const { numUpdatedRows } = await db
    .updateTable('sign_in_methods')
    .set({ password: hash })
    .where('id', '=', known.id)
    .where('password', '=', known.password)
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return { userId: known.user_id, hash };
  // Another sign-in has hashed it again, or it was changed: the new hash is compared.
  return await comparePassword(deps, credentials);
}

function wrongCredentials(): AppError {
  return new AppError('unauthenticated', 'Invalid email or password.');
}

/** Ends the session of the request, if there is one. */
export async function signOut(deps: SignInDeps): Promise<void> {
  const token = tokenOfRequest(deps.secret, deps);
  if (token !== undefined) await deps.db.deleteFrom('sessions').where('token', '=', token).execute();
  forgetSession(deps);
}

/**
 * Ends every session of the account, this one too. Takes the account's id, because a program with an access
 * token has no session.
 */
export async function signOutEverywhere(deps: SignInDeps & WriteContext, userId: string): Promise<void> {
  await inTransaction(deps, async trx => {
    await endAccess(trx, deps, userId);
    await recordHistory(trx, deps, { kind: 'sessions-ended', user: userId });
  });
  forgetSession(deps);
}
