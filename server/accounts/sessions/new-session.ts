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

/** The dependencies of signing in. `secret` signs sessions. */
export type SignInDeps = RequestContext & DbContext & { secret: string; hashing: PasswordHashing };

export async function currentSession(deps: SignInDeps): Promise<Session | undefined> {
  const token = tokenOfRequest(deps.secret, deps);
  return token === undefined ? undefined : await findSession(deps, token);
}

export const signInOver = () => new AppError('unauthenticated', 'This sign-in has ended. Please try again.');

/** What a person has proved about their identity. */
export type Shown = {
  userId: string;
  /** Whether use prolongs the session; others end with the browser and after a day. */
  isLong?: boolean | undefined;
  /** Whether it counts as both factors, so that no code is asked for. */
  hasSecondFactor?: boolean;
  /** When they proved it, in milliseconds; undefined for now. */
  shownAt?: number | undefined;
  /** Whether the owner expects the new session, because they have just made the account or its password. */
  isExpected?: boolean | undefined;
  /**
   * The browser's current session. The new one replaces it, so it ends, and a copy of its cookie becomes
   * worthless.
   */
  before?: Session | undefined;
};

/** How the transaction that has locked the account checks that the proof is still valid. */
export type Held = {
  holds: (trx: Kysely<Tables>) => Promise<boolean>;
  /** The error to throw if it is not. */
  otherwise?: () => AppError;
};

/** A session that the client has not received yet, and the name of the browser. */
export type NewSession = Session & { browser: string };

/** `pending` is the token that the browser must send with the code of a second factor. */
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
    await recordHistory(trx, deps, { kind: 'admin-signed-in', user: account.id, isByUser: true });
  }
  return { session: await startSession(trx, deps, shown) };
}

/**
 * Starts a session that its owner expects, and so is not mailed about: the first of an account, in the
 * transaction that creates it, or the only one after a new password has ended all others, in that one.
 */
export async function startExpectedSession(
  trx: Kysely<Tables>,
  deps: SignInDeps,
  shown: Pick<Shown, 'userId' | 'isLong' | 'before'>,
): Promise<NewSession> {
  return await startSession(trx, deps, { ...shown, isExpected: true });
}

/** Mails the owner about a new browser. */
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
 * Throws if the proof is no longer valid. Locks the account, as all code that ends its sessions does: such
 * code runs before and is seen here, or runs after and finds the session. Returns the account, and `pending`
 * if a code is missing.
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

/** Sends a session to the client. */
export function handOver(deps: SignInDeps, session: NewSession): void {
  const { requestHeaders, replyHeaders, secret } = deps;
  rememberSession(deps, secret, session);
  setBrowserCookie(deps, session.browser);
  // A program gets the token in the answer and sends it as a bearer token. A browser (it sends Origin) gets a
  // cookie that scripts cannot read, so for it the token must not be in the answer.
  const isBrowser = requestHeaders.has('origin') || requestHeaders.has('sec-fetch-site');
  if (!isBrowser) replyHeaders.set('set-auth-token', signedToken(secret, session.token));
}

/** The browser's current session at a new sign-in. */
export async function sessionOfCookie(deps: SignInDeps): Promise<Session | undefined> {
  const cookie = deps.requestHeaders.get('cookie');
  if (cookie === null) return undefined;
  return await currentSession({ ...deps, requestHeaders: new Headers({ cookie }) });
}
