import { AppError } from '../../contract/errors.ts';
import { lockAccount } from '../access/hold-rights.ts';
import { dialectOf } from '../db/dialect.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { recordHistory } from '../history/write.ts';
import {
  type CurrentSession,
  currentSession,
  handOverSession,
  type RequestDeps,
  type SignInDeps,
  translated,
} from './auth-api.ts';
import { browserOf, knowBrowser, markBrowser, noticeSignIn } from './known-browsers.ts';
import { asksForCode, beginPending } from './pending-sign-in.ts';
import { credentialHeaders, endOldest } from './sessions.ts';

type NewSession = {
  /** What better-auth answered with. */
  headers: Headers;
  token: string;
  userId: string;
  isFirst?: boolean | undefined;
  isLong?: boolean | undefined;
};

/**
 * The last step of every way of signing in: the history notes the session, the client gets it, and the one that the browser
 * held before ends.
 */
export async function conclude(
  deps: SignInDeps,
  before: CurrentSession | undefined,
  session: NewSession,
): Promise<void> {
  const browser = browserOf(deps);
  await recordSignIn(deps, session, browser);
  handOverSession(session.headers, deps, session);
  markBrowser(deps, browser);
  await endReplaced(deps, before);
  await endOldest(deps.db, session.userId);
}

/** Makes a session for an account whose owner has shown who they are. It is handed over once {@link keepSessionIf} keeps it. */
export async function makeSession(
  deps: SignInDeps,
  { userId, isLong }: { userId: string; isLong?: boolean | undefined },
): Promise<{ headers: Headers; token: string }> {
  const { headers, response } = await translated(
    deps.auth.api.beginSession({
      body: { userId },
      headers: credentialHeaders(deps, { isLong }),
      returnHeaders: true,
    }),
  );
  return { headers, token: response.token };
}

export const signInOver = () => new AppError('unauthenticated', 'This sign-in has ended. Please try again.');

/** What has become of a new session; `pending` is what the browser must bring with a code. */
export type Kept = 'kept' | 'ended' | { pending: string };

type Judged = {
  userId: string;
  isLong?: boolean | undefined;
  hasSecondFactor?: boolean;
  /** When they showed who they are, in milliseconds; undefined: just now. */
  shownAt?: number | undefined;
};

/**
 * Keeps a session that has just been made if it was not ended meanwhile and `holds` still says so; ends it otherwise, and
 * where the account asks for a code that was not shown. Every way of signing in calls this, or confirms a session that exists.
 */
export async function keepSessionIf(
  deps: SignInDeps,
  { token, ...judged }: Judged & { token: string },
  holds: (trx: Deps['db']) => Promise<boolean>,
): Promise<Kept> {
  return await inTransaction({ db: deps.db }, async trx => {
    const session = trx.selectFrom('sessions').select('id').where('token', '=', token);
    // Whatever ended all sessions of the account since this one was made has ended it as well.
    const kept = await judge(trx, deps, judged, async () => {
      return (await session.executeTakeFirst()) !== undefined && (await holds(trx));
    });
    if (kept !== 'kept') await trx.deleteFrom('sessions').where('token', '=', token).execute();
    return kept;
  });
}

/**
 * Whether what was shown is enough. Holds the account, as whatever ends its sessions does: that comes before, and is seen
 * here, or after, and finds the session.
 */
export async function judge(
  trx: Deps['db'],
  { clock }: SignInDeps,
  { userId, isLong = true, hasSecondFactor = false, shownAt }: Judged,
  holds: () => Promise<boolean>,
): Promise<Kept> {
  await lockAccount(trx, userId);
  if (!(await holds())) return 'ended';
  if (hasSecondFactor || !(await asksForCode(trx, userId))) return 'kept';
  return { pending: await beginPending(trx, { clock }, { userId, isLong, shownAt }) };
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

/** Its cookie has been written over, so nobody could end it any more but by hand; a copy of it must be worth nothing. */
async function endReplaced({ db }: SignInDeps, session: CurrentSession | undefined): Promise<void> {
  if (session !== undefined) await db.deleteFrom('sessions').where('id', '=', session.id).execute();
}
