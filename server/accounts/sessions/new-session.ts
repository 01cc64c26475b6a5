import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, unguarded } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { asksForCode, beginPending } from '../sign-in/pending-sign-in.ts';
import {
  type CurrentSession,
  currentSession,
  mapAuthError,
  type RequestDeps,
  type SignInDeps,
} from './auth-api.ts';
import { browserOf, knowBrowser, markBrowser, noticeSignIn } from './known-browsers.ts';
import { credentialHeaders, endOldest } from './sessions.ts';

/** A session that better-auth has made; nobody has it yet. */
type MadeSession = {
  /** What better-auth answered with. */
  headers: Headers;
  token: string;
};

declare const isKept: unique symbol;
/** A session that {@link keepSessionIf} has kept: only such a one is handed over. */
type KeptSession = MadeSession & { userId: string; isLong: boolean | undefined; [isKept]: true };

/**
 * The last step of every way of signing in: the history notes the session, the client gets it, and the one
 * that the browser held before ends.
 */
export async function finishSignIn(
  deps: SignInDeps,
  before: CurrentSession | undefined,
  session: KeptSession,
  { isFirst = false }: { isFirst?: boolean | undefined } = {},
): Promise<void> {
  const browser = browserOf(deps);
  await recordSignIn(deps, { ...session, isFirst }, browser);
  handOver(deps, session);
  markBrowser(deps, browser);
  await endReplaced(deps, before);
  await endOldest(deps.db, session.userId);
}

/**
 * Makes a session for an account whose owner has shown who they are, and keeps it as {@link keepSessionIf}
 * does.
 */
export async function makeSessionIf(
  deps: SignInDeps,
  judged: Judged,
  holds: (trx: Kysely<Tables>, token: string) => Promise<boolean>,
): Promise<Kept> {
  const made = await makeSession(deps, judged);
  return await keepSessionIf(deps, { ...made, ...judged }, trx => holds(trx, made.token));
}

async function makeSession(
  deps: SignInDeps,
  { userId, isLong }: Pick<Judged, 'userId' | 'isLong'>,
): Promise<MadeSession> {
  const { headers, response } = await mapAuthError(
    deps.auth.api.beginSession({
      body: { userId },
      headers: credentialHeaders(deps, { isLong }),
      returnHeaders: true,
    }),
  );
  return { headers, token: response.token };
}

export const signInOver = () => new AppError('unauthenticated', 'This sign-in has ended. Please try again.');

/** Whether what was shown is enough; `pending` is what the browser must bring with a code. */
type Judgement = 'kept' | 'ended' | { pending: string };
/** What has become of a new session. */
export type Kept = { session: KeptSession } | 'ended' | { pending: string };

type Judged = {
  userId: string;
  isLong?: boolean | undefined;
  hasSecondFactor?: boolean;
  /** When they showed who they are, in milliseconds; undefined: just now. */
  shownAt?: number | undefined;
};

/**
 * Keeps a session that has just been made if it was not ended meanwhile and `holds` still says so; ends it
 * otherwise, and where the account asks for a code that was not shown. Every way of signing in calls this, or
 * confirms a session that exists.
 */
export async function keepSessionIf(
  deps: SignInDeps,
  { headers, token, ...judged }: Judged & MadeSession,
  holds: (trx: Kysely<Tables>) => Promise<boolean>,
): Promise<Kept> {
  const { userId, isLong } = judged;
  const kept = await inTransaction({ db: deps.db, ...unguarded }, async trx => {
    const session = trx.selectFrom('sessions').select('id').where('token', '=', token);
    // Whatever ended all sessions of the account since this one was made has ended it as well.
    const kept = await requireFactors(trx, deps, judged, async () => {
      return (await session.executeTakeFirst()) !== undefined && (await holds(trx));
    });
    if (kept !== 'kept') await trx.deleteFrom('sessions').where('token', '=', token).execute();
    return kept;
  });
  return kept === 'kept' ? { session: { headers, token, userId, isLong } as KeptSession } : kept;
}

/** Hands a session to the client. The cookie of a short one ends with the browser. */
export function handOver(
  { requestHeaders, replyHeaders }: RequestDeps,
  { headers: from, isLong = true }: KeptSession,
): void {
  for (const cookie of from.getSetCookie()) {
    replyHeaders.append('set-cookie', isLong ? cookie : cookie.replace(/; Max-Age=\d+/i, ''));
  }
  // A program has no use for a cookie; it sends this token as a bearer token. A browser, which says where a
  // request comes
  // from, keeps the cookie out of the reach of scripts: so must be what is in it.
  const isBrowser = requestHeaders.has('origin') || requestHeaders.has('sec-fetch-site');
  const token = from.get('set-auth-token');
  if (token !== null && !isBrowser) replyHeaders.set('set-auth-token', token);
}

/**
 * Whether what was shown is enough. Holds the account, as whatever ends its sessions does: that comes before,
 * and is seen here, or after, and finds the session.
 */
export async function requireFactors(
  trx: Kysely<Tables>,
  { clock }: SignInDeps,
  { userId, isLong = true, hasSecondFactor = false, shownAt }: Judged,
  holds: () => Promise<boolean>,
): Promise<Judgement> {
  await lockAccount(trx, userId);
  if (!(await holds())) return 'ended';
  if (hasSecondFactor || !(await asksForCode(trx, userId))) return 'kept';
  return { pending: await beginPending(trx, { clock }, { userId, isLong, shownAt }) };
}

/**
 * Notes in the history of rights that an admin has signed in, and tells the owner of an account of a new
 * browser.
 */
async function recordSignIn(
  deps: SignInDeps,
  { userId, token, isFirst }: KeptSession & { isFirst: boolean },
  browser: string,
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
export async function sessionOfCookie(deps: RequestDeps): Promise<CurrentSession | undefined> {
  const cookie = deps.requestHeaders.get('cookie');
  if (cookie === null) return undefined;
  return await currentSession({ ...deps, requestHeaders: new Headers({ cookie }) });
}

/**
 * Its cookie has been written over, so nobody could end it any more but by hand; a copy of it must be worth
 * nothing.
 */
async function endReplaced({ db }: SignInDeps, session: CurrentSession | undefined): Promise<void> {
  if (session !== undefined) await db.deleteFrom('sessions').where('id', '=', session.id).execute();
}
