import type { NewAccount } from '../../contract/accounts/sign-in.ts';
import { AppError } from '../../contract/errors.ts';
import { dialectOf } from '../db/dialect.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { recordHistory } from '../history/write.ts';
import { endAccess } from './access-token.ts';
import {
  currentSession,
  handOver,
  passwordHash,
  type RequestDeps,
  type SignInDeps,
  translated,
  wrongCredentials,
} from './auth-api.ts';
import { isImportedHash } from './imported-passwords.ts';
import { browserOf, knowBrowser, markBrowser, noticeSignIn } from './known-browsers.ts';
import { asksForCode, beginPending, codeNeeded } from './pending-sign-in.ts';
import { namedAccount } from './read.ts';
import { copyCookies, credentialHeaders, endOldest } from './sessions.ts';

/**
 * Creates an account, pending approval, and signs it in. Returns its id. Throws already-exists when the username or the
 * address is taken.
 */
export async function signUp(
  deps: SignInDeps,
  account: NewAccount & { introduction?: string | undefined },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const { headers, response } = await translated(
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
  await conclude(deps, before, { headers, token: response.token ?? '', userId, isFirst: true });
  return userId;
}

/**
 * Starts a session. Returns the account's id. Throws unauthenticated, the same for an unknown address and a wrong password;
 * with `details.asks` where a code is missing (pending-sign-in.ts).
 */
export async function signIn(
  deps: SignInDeps,
  { isLong, ...credentials }: { email: string; password: string; isLong?: boolean },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const known = await passwordHash(deps.db, { email: credentials.email });
  const { headers, response } = await translated(
    deps.auth.api.signInEmail({
      body: credentials,
      headers: credentialHeaders(deps, { isLong }),
      returnHeaders: true,
    }),
  );
  const userId = response.user.id;
  const kept = await keepIfCurrent(deps, response, known?.password, credentials.password);
  await hashAnew(deps, userId, credentials.password);
  if (kept !== 'kept') throw codeNeeded(deps, kept.pending);
  await conclude(deps, before, { headers, token: response.token, userId, isLong });
  return userId;
}

/**
 * Hashing takes a while: a password that was right when it began may have been changed since, which ended all sessions
 * before this one was made. Throws as for a wrong password.
 */
async function keepIfCurrent(
  deps: SignInDeps,
  { token, user }: { token: string; user: { id: string } },
  hash: string | null | undefined,
  password: string,
): Promise<Exclude<Kept, 'ended'>> {
  const hashing = (await deps.auth.$context).password;
  const kept = await keepSessionIf(deps, { token, userId: user.id }, async trx => {
    const now = (await passwordHash(trx, { id: user.id }))?.password ?? null;
    // The same password may have been hashed anew meanwhile.
    return now !== null && (now === hash || (await hashing.verify({ hash: now, password })));
  });
  if (kept === 'ended') throw wrongCredentials();
  return kept;
}

type WithoutPassword = {
  /**
   * Asked once the session is made, within a transaction that holds the account: whether what was shown still says who they
   * are. `session` is the token of the new session.
   */
  holds?: (trx: Deps['db'], session: string) => Promise<boolean>;
  /** What is thrown where it does not. */
  otherwise?: () => AppError;
  /** The account was made just now, by this request. */
  isFirst?: boolean | undefined;
  /** What was shown counts as both factors: no code is asked for. */
  hasSecondFactor?: boolean;
  /** Whether the session goes on with its use, as it does unless it is said; others end with the browser and after a day. */
  isLong?: boolean | undefined;
};

const signInOver = () => new AppError('unauthenticated', 'This sign-in has ended. Please try again.');

/**
 * Starts a session for an account whose owner has shown who they are without a password: by an invitation, a link in a mail
 * or an OpenID provider; or with both factors. The session that the browser held ends. Throws as {@link signIn} where a code
 * is missing.
 */
export async function signInWithoutPassword(
  deps: SignInDeps,
  userId: string,
  {
    holds = async () => true,
    otherwise = signInOver,
    isFirst,
    isLong,
    hasSecondFactor = false,
  }: WithoutPassword = {},
): Promise<void> {
  const before = await sessionOfCookie(deps);
  const { headers, response } = await translated(
    deps.auth.api.beginSession({
      body: { userId },
      headers: credentialHeaders(deps, { isLong }),
      returnHeaders: true,
    }),
  );
  const { token } = response;
  const kept = await keepSessionIf(deps, { token, userId, hasSecondFactor }, trx => holds(trx, token));
  if (kept === 'ended') throw otherwise();
  if (kept !== 'kept') throw codeNeeded(deps, kept.pending);
  await conclude(deps, before, { headers, token, userId, isFirst, isLong });
}

type NewSession = {
  /** What better-auth answered with. */
  headers: Headers;
  token: string;
  userId: string;
  isFirst?: boolean | undefined;
  isLong?: boolean | undefined;
};

/**
 * What every way of signing in ends with: the session is handed over once it stands in the history, and the one that the
 * browser held ends.
 */
async function conclude(deps: SignInDeps, before: string | undefined, session: NewSession): Promise<void> {
  const browser = browserOf(deps);
  await recordSignIn(deps, session, browser);
  handOver(session.headers, deps, session);
  markBrowser(deps, browser);
  await endReplaced(deps, before);
  await endOldest(deps.db, session.userId);
}

/** What has become of a new session; `pending` is what the browser must bring with a code. */
type Kept = 'kept' | 'ended' | { pending: string };

/**
 * Ends a session that has just been made unless what it was made for still holds, and where the account asks for a code that
 * was not shown: every way of signing in comes by here. Holds the account, as whatever ends its sessions does: that comes before,
 * and is seen here, or after, and finds the session.
 */
async function keepSessionIf(
  { db, clock }: SignInDeps,
  { token, userId, hasSecondFactor = false }: { token: string; userId: string; hasSecondFactor?: boolean },
  holds: (trx: Deps['db']) => Promise<boolean>,
): Promise<Kept> {
  return await inTransaction({ db }, async trx => {
    const { forUpdate } = dialectOf(trx);
    await forUpdate(trx.selectFrom('users').select('id').where('id', '=', userId)).execute();
    const isGood = await holds(trx);
    if (isGood && (hasSecondFactor || !(await asksForCode(trx, userId)))) return 'kept';
    const ended = await trx
      .deleteFrom('sessions')
      .where('token', '=', token)
      .returning('is_long')
      .executeTakeFirst();
    const isLong = Boolean(ended?.is_long);
    return isGood ? { pending: await beginPending(trx, { clock }, { userId, isLong }) } : 'ended';
  });
}

/** Notes in the history of rights that an admin has signed in, and tells the owner of an account of a new browser. */
async function recordSignIn(
  deps: SignInDeps,
  { userId, token, isFirst }: NewSession,
  browser: string,
): Promise<void> {
  await inTransaction({ db: deps.db }, async trx => {
    const row = await dialectOf(trx)
      .shared(trx.selectFrom('users').select(['display_username', 'is_admin']).where('id', '=', userId))
      .executeTakeFirst();
    if (row === undefined) return;
    // Whoever made the account a moment ago knows of it.
    if (isFirst) await knowBrowser(trx, deps.clock(), { userId, browser });
    else await noticeSignIn(trx, deps, { userId, browser, token });
    if (!row.is_admin) return;
    const user = { id: userId, username: row.display_username };
    await recordHistory(trx, deps, { kind: 'admin-signed-in', user, actor: user });
  });
}

/** A password that came with an import is hashed as ours are once it has shown that it is right. */
async function hashAnew({ auth, db }: SignInDeps, userId: string, password: string): Promise<void> {
  const account = await passwordHash(db, { id: userId });
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

/** The session that a browser still holds when it signs in anew. */
async function sessionOfCookie(deps: RequestDeps): Promise<string | undefined> {
  const cookie = deps.request.get('cookie');
  if (cookie === null) return undefined;
  return (await currentSession({ ...deps, request: new Headers({ cookie }) }))?.id;
}

/** Its cookie has been written over, so nobody could end it any more but by hand; a copy of it must be worth nothing. */
async function endReplaced({ db }: SignInDeps, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined) await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

/** Ends the session of the request, if there is one. */
export async function signOut(deps: RequestDeps): Promise<void> {
  const { headers } = await translated(
    deps.auth.api.signOut({ headers: credentialHeaders(deps), returnHeaders: true }),
  );
  copyCookies(headers, deps.reply);
}

/** Ends every session of the account, this one too. By its id: a program with an access token has no session to ask by. */
export async function signOutEverywhere(deps: SignInDeps & WriteContext, userId: string): Promise<void> {
  await inTransaction(deps, async trx => {
    await endAccess(trx, userId);
    await recordHistory(trx, deps, { kind: 'sessions-ended', user: await namedAccount(trx, userId) });
  });
  await signOut(deps);
}
