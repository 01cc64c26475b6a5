import { AppError } from '../../../contract/errors.ts';
import type { ReadContext, RequestContext } from '../../access/context.ts';
import { guardsOf } from '../../access/hold-rights.ts';
import { isRecent } from '../../access/recent-sign-in.ts';
import { actorOf, type Identity } from '../../access/viewer.ts';
import { type Actor, type DbContext, unguarded } from '../../db/transaction.ts';
import type { AccountContext } from '../context.ts';
import { sendConfirmation } from '../sign-in/email.ts';
import { signInWithoutPassword } from '../sign-in/sign-in-without-password.ts';
import { limitSignUp } from '../sign-in/sign-up-limits.ts';
import { accountOfPerson, addToldTags, connectPerson, signUpPerson } from './accounts.ts';
import type { OpenidPerson } from './provider.ts';

type ProviderSignIn = DbContext &
  Pick<ReadContext, 'settings'> &
  RequestContext &
  Identity &
  Pick<AccountContext, 'hashing' | 'openid' | 'secret'>;

/**
 * Signs in a person who comes from the provider; a new person gets a pending account. The sign-in is as
 * recent as their log-in at the provider, which does not ask again people who are logged in there. Throws as
 * `signUpPerson` does, and resource-exhausted for too many new accounts.
 */
export async function signInByProvider(
  invocation: ProviderSignIn,
  person: OpenidPerson,
  { isLong }: { isLong: boolean },
): Promise<void> {
  const { db, clock, network, openid } = invocation;
  const by: Actor = { user: null, via: 'server', viaName: openid?.name ?? null, address: network };
  const signingIn = { db, clock, by, ...unguarded };
  const known = await accountOfPerson(db, person);
  let userId = known;
  if (userId === undefined) {
    await limitSignUp(invocation, {});
    userId = await signUpPerson(signingIn, person);
    if (!person.isEmailVerified) await sendConfirmation(signingIn, userId);
  }
  await addToldTags(signingIn, userId, person);
  // A new password may have ended the connection since the lookup.
  await signInWithoutPassword(invocation, userId, {
    holds: async trx => (await accountOfPerson(trx, person)) === userId,
    isExpected: known === undefined,
    isLong,
    shownAt: known === undefined ? undefined : (person.shownAt ?? 0),
  });
}

/**
 * Counts a new log-in at the provider as a recent sign-in of the session that asked for it. Throws
 * unauthenticated if that session has ended, or another person comes back.
 */
export async function confirm(
  invocation: ProviderSignIn,
  person: OpenidPerson,
  sessionId: string,
): Promise<void> {
  const { db, viewer, credential } = invocation;
  const isOwner = async (at: typeof db) => (await accountOfPerson(at, person)) === viewer.user?.id;
  if (viewer.user === null || !isSession(credential, sessionId) || !(await isOwner(db))) {
    throw new AppError('unauthenticated', 'This is not the account that you are signed in to.');
  }
  if (!isRecent(person.shownAt ?? 0, invocation.clock())) {
    throw new AppError('unauthenticated', 'You logged in at the provider too long ago.');
  }
  await signInWithoutPassword(invocation, viewer.user.id, {
    holds: isOwner,
    shownAt: person.shownAt,
    onlyConfirms: true,
  });
}

/**
 * Connects a person at the provider with the account of the session that asked for it. Throws unauthenticated
 * if the browser now holds another person's session, failed-precondition without a recent sign-in, and as
 * `connectPerson` does.
 */
export async function connect(
  invocation: ProviderSignIn,
  person: OpenidPerson,
  sessionId: string,
): Promise<void> {
  const { db, clock, openid, viewer, credential } = invocation;
  if (viewer.user === null || !isSession(credential, sessionId)) {
    throw new AppError('unauthenticated', 'You have signed out meanwhile. Please begin again.');
  }
  await connectPerson(
    {
      db,
      clock,
      providerName: openid?.name ?? 'Another site',
      by: actorOf(invocation),
      // A recent sign-in is required again, because anybody at the browser can change the cookie with the
      // purpose.
      ...guardsOf(invocation, invocation, 'signed-in'),
    },
    viewer.user.id,
    person,
  );
}

/** Whether a request comes from this session; access tokens may not change sign-in methods. */
function isSession(credential: Identity['credential'], sessionId: string): boolean {
  return credential?.kind === 'session' && credential.id === sessionId;
}
