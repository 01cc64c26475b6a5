import type { Kysely } from 'kysely';
import type { AppError } from '../../../contract/errors.ts';
import { isRecent } from '../../access/recent-sign-in.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, unguarded } from '../../db/transaction.ts';
import {
  beginSession,
  finishSignIn,
  judge,
  type SignInDeps,
  sessionOfCookie,
  signInOver,
} from '../sessions/new-session.ts';
import type { Session } from '../sessions/session-rows.ts';
import { noteConfirmation } from './passwords.ts';
import { codeNeeded } from './pending-sign-in.ts';

type WithoutPassword = {
  /** Asked within a transaction that holds the account: whether what was shown still says who they are. */
  holds?: (trx: Kysely<Tables>) => Promise<boolean>;
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
  else await begin(deps, userId, before, shown);
}

async function confirmSession(
  deps: SignInDeps,
  session: Session,
  { holds = async () => true, otherwise = signInOver, ...shown }: WithoutPassword,
): Promise<void> {
  const judgement = await inTransaction({ db: deps.db, ...unguarded }, async trx => {
    const judgement = await judge(trx, deps, { ...session, ...shown, isLong: session.isLong }, () =>
      holds(trx),
    );
    const shownAt = shown.shownAt ?? Date.now();
    if (judgement !== 'enough' || !isRecent(shownAt)) return judgement;
    // A session that has ended meanwhile confirms nothing, and uses nothing up.
    if (!(await noteConfirmation(trx, { kind: 'session', id: session.id }, shownAt))) throw signInOver();
    return judgement;
  });
  if (judgement === 'refused') throw otherwise();
  if (judgement !== 'enough') throw codeNeeded(deps, judgement.pending);
}

async function begin(
  deps: SignInDeps,
  userId: string,
  before: Session | undefined,
  { holds = async () => true, otherwise = signInOver, isFirst, ...shown }: WithoutPassword,
): Promise<void> {
  const begun = await inTransaction({ db: deps.db, ...unguarded }, trx =>
    beginSession(trx, deps, { userId, ...shown }, () => holds(trx)),
  );
  if (begun === 'refused') throw otherwise();
  if ('pending' in begun) throw codeNeeded(deps, begun.pending);
  await finishSignIn(deps, before, begun.session, { isFirst });
}
