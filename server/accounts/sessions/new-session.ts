import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../access/context.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import type { PasswordHashing } from '../sign-in/password-hashing.ts';
import { asksForCode, beginPending } from '../sign-in/pending-sign-in.ts';
import { browserOf, knowBrowser, markBrowser, noticeSignIn } from './known-browsers.ts';
import { endOldest, findSession, insertSession, type Session } from './session-rows.ts';
import { signedToken, tokenOfRequest } from './session-token.ts';
import { rememberSession } from './sessions.ts';

/** What signing in needs. `secret` is the key with which sessions are signed. */
export type SignInDeps = RequestContext & DbContext & { secret: string; hashing: PasswordHashing };

/** The session that a request belongs to. */
export async function currentSession(deps: SignInDeps): Promise<Session | undefined> {
  const token = tokenOfRequest(deps.secret, deps);
  return token === undefined ? undefined : await findSession(deps.db, token);
}

/**
 * The last step of every way of signing in: the history notes the session, the client gets it, and the one
 * that the browser held before ends.
 */
export async function finishSignIn(
  deps: SignInDeps,
  before: Session | undefined,
  session: Session,
  { isFirst = false }: { isFirst?: boolean | undefined } = {},
): Promise<void> {
  const browser = browserOf(deps);
  await recordSignIn(deps, session, { isFirst, browser });
  handOver(deps, session);
  markBrowser(deps, browser);
  await endReplaced(deps, before);
  await endOldest(deps.db, session.userId);
}

export const signInOver = () => new AppError('unauthenticated', 'This sign-in has ended. Please try again.');

/** Whether what was shown still says who they are; `pending` is what the browser must bring with a code. */
type Judgement = 'enough' | 'refused' | { pending: string };
/** What has become of a sign-in. */
export type Begun = { session: Session } | 'refused' | { pending: string };

type Judged = {
  userId: string;
  isLong?: boolean | undefined;
  hasSecondFactor?: boolean;
  /** When they showed who they are, in milliseconds; undefined: just now. */
  shownAt?: number | undefined;
};

/**
 * Begins a session for an account whose owner has shown who they are, if `holds` still says so within the
 * transaction, and no code of a second factor is missing. Every way of signing in calls this, or confirms a
 * session that exists.
 */
export async function beginSession(
  trx: Kysely<Tables>,
  deps: SignInDeps,
  judged: Judged,
  holds: () => Promise<boolean> = async () => true,
): Promise<Begun> {
  const judgement = await judge(trx, deps, judged, holds);
  if (judgement !== 'enough') return judgement;
  const { userId, isLong = true, shownAt } = judged;
  return { session: await insertSession(trx, deps, { userId, isLong, shownAt }) };
}

/** Hands a session to the client. */
export function handOver(deps: SignInDeps, session: Session): void {
  const { requestHeaders, replyHeaders, secret } = deps;
  rememberSession(deps, secret, session);
  // A program has no use for a cookie; it sends this token as a bearer token. A browser, which says where a
  // request comes from, keeps the cookie out of the reach of scripts: so must be what is in it.
  const isBrowser = requestHeaders.has('origin') || requestHeaders.has('sec-fetch-site');
  if (!isBrowser) replyHeaders.set('set-auth-token', signedToken(secret, session.token));
}

/**
 * Whether what was shown is enough. Holds the account, as whatever ends its sessions does: that comes before,
 * and is seen here, or after, and finds the session.
 */
export async function judge(
  trx: Kysely<Tables>,
  { clock }: SignInDeps,
  { userId, isLong = true, hasSecondFactor = false, shownAt }: Judged,
  holds: () => Promise<boolean>,
): Promise<Judgement> {
  const account = await lockAccount(trx, userId);
  if (account === undefined || !(await holds())) return 'refused';
  if (hasSecondFactor || !(await asksForCode(trx, userId))) return 'enough';
  return { pending: await beginPending(trx, { clock }, { userId, isLong, shownAt }) };
}

/**
 * Notes in the history of rights that an admin has signed in, and tells the owner of an account of a new
 * browser.
 */
async function recordSignIn(
  deps: SignInDeps,
  { userId, token }: Session,
  { isFirst, browser }: { isFirst: boolean; browser: string },
): Promise<void> {
  await inTransaction({ db: deps.db, ...unguarded }, async trx => {
    const row = await dialectOf(trx)
      .shared(trx.selectFrom('users').select(['display_username', 'is_admin']).where('id', '=', userId))
      .executeTakeFirst();
    if (row === undefined) return;
    // The owner made the account a moment ago and knows about it.
    if (isFirst) await knowBrowser(trx, deps.clock(), { userId, browser });
    else await noticeSignIn(trx, deps, { userId, browser, token });
    if (!row.is_admin) return;
    const user = { id: userId, username: row.display_username };
    await recordHistory(trx, deps, { kind: 'admin-signed-in', user, actor: user });
  });
}

/** The session that a browser still holds when it signs in anew. */
export async function sessionOfCookie(deps: SignInDeps): Promise<Session | undefined> {
  const cookie = deps.requestHeaders.get('cookie');
  if (cookie === null) return undefined;
  return await currentSession({ ...deps, requestHeaders: new Headers({ cookie }) });
}

/**
 * Its cookie has been written over, so nobody could end it any more but by hand; a copy of it must be worth
 * nothing.
 */
async function endReplaced({ db }: SignInDeps, session: Session | undefined): Promise<void> {
  if (session !== undefined) await db.deleteFrom('sessions').where('id', '=', session.id).execute();
}
