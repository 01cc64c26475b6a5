import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../access/context.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import type { PasswordHashing } from '../sign-in/password-hashing.ts';
import { asksForCode, beginPending } from '../sign-in/pending-sign-in.ts';
import { browserCookie, knowBrowser, noticeSignIn, setBrowserCookie } from './known-browsers.ts';
import { endOldest, findSession, insertSession, type Session } from './session-rows.ts';
import { signedToken, tokenOfRequest } from './session-token.ts';
import { rememberSession } from './sessions.ts';

/** What signing in needs. `secret` is the key with which sessions are signed. */
export type SignInDeps = RequestContext & DbContext & { secret: string; hashing: PasswordHashing };

/** The session that a request belongs to. */
export async function currentSession(deps: SignInDeps): Promise<Session | undefined> {
  const token = tokenOfRequest(deps.secret, deps);
  return token === undefined ? undefined : await findSession(deps, token);
}

export const signInOver = () => new AppError('unauthenticated', 'This sign-in has ended. Please try again.');

/** What somebody has shown of who they are. */
export type Shown = {
  userId: string;
  /** Whether the session goes on with its use; others end with the browser and after a day. */
  isLong?: boolean | undefined;
  /** It counts as both factors: no code is asked for. */
  hasSecondFactor?: boolean;
  /** When they showed it, in milliseconds; undefined: just now. */
  shownAt?: number | undefined;
  /** Its owner knows of the new session, because they have just made the account or its password. */
  isExpected?: boolean | undefined;
  /**
   * The session that the browser holds. The new one is written over it, so a copy of it must be worth
   * nothing.
   */
  before?: Session | undefined;
};

/** How it is asked, in the transaction that holds the account, whether what was shown still holds. */
export type Held = {
  holds: (trx: Kysely<Tables>) => Promise<boolean>;
  /** What is thrown where it does not. */
  otherwise?: () => AppError;
};

/** A session that the client does not have yet, and the name of the browser. */
export type NewSession = Session & { browser: string };

/** `pending` is what the browser must bring with the code of a second factor. */
type SignedIn = { session: NewSession } | { pending: string };

/**
 * Begins a session for a verified owner, or a sign-in that waits for a code. An admin's sign-in is recorded
 * in the history of rights. Every way to sign in calls this, or confirms an existing session.
 */
export async function beginSession(
  trx: Kysely<Tables>,
  deps: SignInDeps,
  shown: Shown,
  held: Held,
): Promise<SignedIn> {
  const { account, pending } = await requireFactors(trx, deps, shown, held);
  if (pending !== undefined) return { pending };
  if (account.is_admin) {
    const user = { id: account.id, username: account.display_username };
    await recordHistory(trx, deps, { kind: 'admin-signed-in', user, actor: user });
  }
  return { session: await startSession(trx, deps, shown) };
}

/** Starts the first session of an account, in the transaction that makes it. */
export async function startFirstSession(
  trx: Kysely<Tables>,
  deps: SignInDeps,
  shown: Pick<Shown, 'userId' | 'before'>,
): Promise<NewSession> {
  return await startSession(trx, deps, { ...shown, isExpected: true });
}

/** Starts the one session that remains after a new password has ended all others, in that transaction. */
export async function startOnlySession(
  trx: Kysely<Tables>,
  deps: SignInDeps,
  shown: Pick<Shown, 'userId' | 'isLong'>,
): Promise<NewSession> {
  return await startSession(trx, deps, { ...shown, isExpected: true });
}

/** The owner hears of a new browser. */
async function startSession(
  trx: Kysely<Tables>,
  deps: SignInDeps,
  { userId, isLong = true, shownAt, isExpected = false, before }: Shown,
): Promise<NewSession> {
  if (before !== undefined) await trx.deleteFrom('sessions').where('id', '=', before.id).execute();
  const session = await insertSession(trx, deps, { userId, isLong, shownAt });
  const browser = browserCookie(deps);
  if (isExpected) await knowBrowser(trx, deps.clock(), { userId, browser });
  else await noticeSignIn(trx, deps, { userId, browser, sessionId: session.id });
  await endOldest(trx, userId);
  return { ...session, browser };
}

/**
 * Throws where what was shown does not hold any more. Locks the account, as whatever ends its sessions does:
 * that comes before, and is seen here, or after, and finds the session. Returns the account, and `pending`
 * where a code is missing.
 */
export async function requireFactors(
  trx: Kysely<Tables>,
  { clock }: SignInDeps,
  { userId, isLong = true, hasSecondFactor = false, shownAt }: Shown,
  { holds, otherwise = signInOver }: Held,
): Promise<{ account: UserRow; pending?: string }> {
  const account = await lockAccount(trx, userId);
  if (account === undefined || !(await holds(trx))) throw otherwise();
  if (hasSecondFactor || !(await asksForCode(trx, userId))) return { account };
  return { account, pending: await beginPending(trx, { clock }, { userId, isLong, shownAt }) };
}

/** Hands a session to the client. */
export function handOver(deps: SignInDeps, session: NewSession): void {
  const { requestHeaders, replyHeaders, secret } = deps;
  rememberSession(deps, secret, session);
  setBrowserCookie(deps, session.browser);
  // A program sends this token as a bearer token. A browser (it sends Origin) gets a cookie that scripts
  // cannot read, so the token must not be in the answer either.
  const isBrowser = requestHeaders.has('origin') || requestHeaders.has('sec-fetch-site');
  if (!isBrowser) replyHeaders.set('set-auth-token', signedToken(secret, session.token));
}

/** The session that a browser still holds when it signs in anew. */
export async function sessionOfCookie(deps: SignInDeps): Promise<Session | undefined> {
  const cookie = deps.requestHeaders.get('cookie');
  if (cookie === null) return undefined;
  return await currentSession({ ...deps, requestHeaders: new Headers({ cookie }) });
}
