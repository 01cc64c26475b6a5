import { isRecent } from '../../access/recent-sign-in.ts';
import { inTransaction, unguarded } from '../../db/transaction.ts';
import {
  beginSession,
  type Held,
  handOver,
  requireFactors,
  type Shown,
  type SignInDeps,
  sessionOfCookie,
  signInOver,
} from '../sessions/new-session.ts';
import type { Session } from '../sessions/session-rows.ts';
import { noteConfirmation } from './passwords.ts';
import { codeNeeded } from './pending-sign-in.ts';

type WithoutPassword = Omit<Shown, 'userId' | 'before'> &
  Held & {
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
  { id, userId, isLong }: Session,
  shown: WithoutPassword,
): Promise<void> {
  const pending = await inTransaction({ db: deps.db, ...unguarded }, async trx => {
    const { pending } = await requireFactors(trx, deps, { ...shown, userId, isLong }, shown);
    const shownAt = shown.shownAt ?? deps.clock();
    if (pending !== undefined || !isRecent(shownAt, deps.clock())) return pending;
    // A session that has ended meanwhile confirms nothing, and uses nothing up.
    if (!(await noteConfirmation(trx, { kind: 'session', id }, shownAt))) throw signInOver();
    return undefined;
  });
  if (pending !== undefined) throw codeNeeded(deps, pending);
}

async function begin(
  deps: SignInDeps,
  userId: string,
  before: Session | undefined,
  shown: WithoutPassword,
): Promise<void> {
  const signedIn = await inTransaction({ db: deps.db, ...unguarded }, trx =>
    beginSession(trx, deps, { ...shown, userId, before }, shown),
  );
  if ('pending' in signedIn) throw codeNeeded(deps, signedIn.pending);
  handOver(deps, signedIn.session);
}
