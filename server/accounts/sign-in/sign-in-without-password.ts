import type { Kysely } from 'kysely';
import type { AppError } from '../../../contract/errors.ts';
import { isRecent } from '../../access/recent-sign-in.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, unguarded } from '../../db/transaction.ts';
import type { CurrentSession, SignInDeps } from '../sessions/auth-api.ts';
import {
  finishSignIn,
  makeSessionIf,
  requireFactors,
  sessionOfCookie,
  signInOver,
} from '../sessions/new-session.ts';
import { noteConfirmation } from './passwords.ts';
import { codeNeeded } from './pending-sign-in.ts';

type WithoutPassword = {
  /**
   * Asked within a transaction that holds the account: whether what was shown still says who they are.
   * `session` is the token of the session, which is made by then.
   */
  holds?: (trx: Kysely<Tables>, session: string) => Promise<boolean>;
  /** What is thrown where it does not. */
  otherwise?: () => AppError;
  /** The account was made just now, by this request. */
  isFirst?: boolean | undefined;
  /** What was shown counts as both factors: no code is asked for. */
  hasSecondFactor?: boolean;
  /**
   * Whether the session goes on with its use, as it does unless it is said; others end with the browser and
   * after a day.
   */
  isLong?: boolean | undefined;
  /** When they showed who they are, in milliseconds; just now, unless it is said. */
  shownAt?: number | undefined;
  /** The session that the browser holds ends also where it is one of this account. */
  isAnew?: boolean;
  /** Begins no session: what was shown is for the one that the browser holds. */
  onlyConfirms?: boolean;
};

/**
 * Signs in the owner of an account who has shown who they are without a password: by an invitation, a link in
 * a mail or an OpenID provider; or with both factors. Where the browser is signed in to the account already,
 * its session goes on and has a recent sign-in from now on: another tab waits for that. Otherwise a session
 * begins, and the one that the browser held ends. Throws as {@link signIn} where a code is missing.
 */
export async function signInWithoutPassword(
  deps: SignInDeps,
  userId: string,
  shown: WithoutPassword,
): Promise<void> {
  const before = await sessionOfCookie(deps);
  if (before?.userId === userId && !shown.isAnew) await confirmSession(deps, before, shown);
  else if (shown.onlyConfirms) throw signInOver();
  else await beginSession(deps, userId, before, shown);
}

async function confirmSession(
  deps: SignInDeps,
  session: CurrentSession,
  { holds = async () => true, otherwise = signInOver, ...shown }: WithoutPassword,
): Promise<void> {
  const kept = await inTransaction({ db: deps.db, ...unguarded }, async trx => {
    const kept = await requireFactors(trx, deps, { ...session, ...shown, isLong: session.isLong }, () =>
      holds(trx, session.token),
    );
    const shownAt = shown.shownAt ?? Date.now();
    if (kept !== 'kept' || !isRecent(shownAt)) return kept;
    // A session that has ended meanwhile confirms nothing, and uses nothing up.
    if (!(await noteConfirmation(trx, { kind: 'session', id: session.id }, shownAt))) throw signInOver();
    return kept;
  });
  if (kept === 'ended') throw otherwise();
  if (kept !== 'kept') throw codeNeeded(deps, kept.pending);
}

async function beginSession(
  deps: SignInDeps,
  userId: string,
  before: CurrentSession | undefined,
  {
    holds = async () => true,
    otherwise = signInOver,
    isFirst,
    isLong,
    shownAt,
    hasSecondFactor = false,
  }: WithoutPassword,
): Promise<void> {
  const judged = { userId, hasSecondFactor, isLong, shownAt };
  const kept = await makeSessionIf(deps, judged, async (trx, token) => {
    if (!(await holds(trx, token))) return false;
    if (shownAt !== undefined) {
      await trx
        .updateTable('sessions')
        .set({ password_given_at: shownAt })
        .where('token', '=', token)
        .execute();
    }
    return true;
  });
  if (kept === 'ended') throw otherwise();
  if ('pending' in kept) throw codeNeeded(deps, kept.pending);
  await finishSignIn(deps, before, kept.session, { isFirst });
}
