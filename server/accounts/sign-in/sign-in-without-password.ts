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
    /** Whether the browser's current session ends even if it belongs to this account. */
    isAnew?: boolean;
    /** Whether it only confirms the current session and begins none. */
    onlyConfirms?: boolean;
  };

/**
 * Signs in an owner verified without a password: by invitation, mailed link or OpenID provider; or by both
 * factors. If the browser is already signed in to the account, that session gets a recent sign-in, which
 * another tab waits for. Otherwise a session begins and the browser's former one ends. Throws as
 * {@link signIn} if a code is missing.
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
    // If the session has ended meanwhile, nothing is confirmed or consumed.
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
