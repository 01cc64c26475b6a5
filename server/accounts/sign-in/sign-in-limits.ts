import { AppError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../access/context.ts';
import { forget, isRemembered, remember } from '../../db/marks.ts';
import type { DbContext } from '../../db/transaction.ts';
import {
  type Bucket,
  returnAttempt,
  returnAttemptFrom,
  takeAttempt,
  takeAttemptFrom,
} from '../../limits/attempts.ts';
import { mailboxOf } from '../../mail/mailbox.ts';

const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;

type Attempt = DbContext & Pick<RequestContext, 'network'>;

/**
 * Limits password attempts: ten in a quarter of an hour per account and network, fifty per network, and a
 * hundred an hour per account from networks that never signed in to it. So the owner can still log in at home
 * while others guess. The attempt is counted before the check, so concurrent tries count. With the right
 * password sixty sign-ins in a quarter of an hour are allowed, to bound the table of sessions.
 */
export async function limitSignIn<T>(deps: Attempt, account: string, attempt: () => Promise<T>): Promise<T> {
  const network = deps.network ?? 'local';
  const pair = `sign-in ${account} ${network}`;
  const knownNetwork = `signed-in ${account} ${network}`;
  const fromNetwork: Bucket = { name: 'sign-in from', points: 50, seconds: 15 * minutes };
  const toAccount: Bucket = { name: `sign-in to ${account}`, points: 100, seconds: hours };
  const ofPair: Bucket = { name: pair, points: 10, seconds: 15 * minutes };
  const isKnown = await isRemembered(deps, knownNetwork);
  await takeAttemptFrom(deps, network, fromNetwork);
  await takeAttempt(deps, ofPair);
  // Checked last: a network that is already refused uses up none of the attempts that all share.
  if (!isKnown) await takeAttempt(deps, toAccount);
  const successes: Bucket = { name: `let in ${account}`, points: 60, seconds: 15 * minutes };
  await takeAttempt(deps, successes);
  const result = await attempt().catch(async (error: unknown) => {
    await returnAttempt(deps, successes);
    // No password was compared, so nothing was guessed.
    if (error instanceof AppError && error.code === 'unavailable') {
      await returnAttemptFrom(deps, network, fromNetwork);
      await returnAttempt(deps, ofPair);
      if (!isKnown) await returnAttempt(deps, toAccount);
    }
    throw error;
  });
  await returnAttemptFrom(deps, network, fromNetwork);
  if (!isKnown) await returnAttempt(deps, toAccount);
  await forget(deps, pair);
  await remember(deps, knownNetwork, 90 * days);
  return result;
}

/**
 * Limits how often a network requests mailed links: five an hour per address, twenty in all. Counted per
 * network, so nobody can use up the owner's share; `requestReset` and `requestSignInLink` bound the mails per
 * mailbox.
 */
export async function limitMailTo(
  deps: Attempt,
  what: 'reset' | 'sign-in link',
  email: string,
): Promise<void> {
  const network = deps.network ?? 'local';
  // The network first: a refused one writes nothing, however many addresses it names.
  await takeAttemptFrom(deps, network, { name: `${what} from`, points: 20, seconds: hours });
  await takeAttempt(deps, { name: `${what} of ${email} from ${network}`, points: 5, seconds: hours });
}

/**
 * Limits attempts at a mailed code: five in a quarter of an hour per address, and twenty a day. Guessing can
 * block codes for the owner, but not the link in the same mail.
 */
export async function limitCodes(deps: Attempt, email: string): Promise<void> {
  await takeAttempt(deps, { name: `codes of ${email}`, points: 5, seconds: 15 * minutes });
  await takeAttempt(deps, { name: `codes of ${email} in a day`, points: 20, seconds: days });
}

/** Limits mails that confirm an address: five an hour per account, to any mailbox. */
export async function limitConfirmation(deps: Attempt, userId: string): Promise<void> {
  await takeAttempt(deps, { name: `confirmation by ${userId}`, points: 5, seconds: hours });
}

/**
 * Limits mails to new addresses that unapproved people ask for: five an hour in all. Anybody can make many
 * accounts and could flood a mailbox; members are not counted, so nobody can block them.
 */
export async function limitMailByStrangers(deps: Attempt, email: string): Promise<void> {
  const name = `confirmation by strangers of ${mailboxOf(email)}`;
  await takeAttempt(deps, { name, points: 5, seconds: hours });
}

type TriedToken =
  | 'code'
  | 'confirmation'
  | 'invitation'
  | 'new password'
  | 'openid'
  | 'openid answer'
  | 'passkey'
  | 'set-up'
  | 'sign-in link';

/** Limits how often a network may try tokens of a kind: `points` times an hour. */
export async function limitTries(deps: Attempt, what: TriedToken, points: number): Promise<void> {
  await takeAttemptFrom(deps, deps.network ?? 'local', { name: `${what} from`, points, seconds: hours });
}
