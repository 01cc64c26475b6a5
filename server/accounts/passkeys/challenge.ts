import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../access/context.ts';
import { readCookie, setCookie } from '../../access/cookies.ts';
import { clockToleranceMs } from '../../base/clock.ts';
import { isSigned, newToken, sign } from '../../base/secrets.ts';
import { markOnce } from '../../db/marks.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';

/** How long a challenge is valid: a log-in page may stay open for a while. Milliseconds. */
const challengeLifeMs = 60 * 60_000;

/** The purpose of a signature: a signature for one purpose is not valid for another. */
export type Purpose = 'add' | 'sign-in' | 'confirm';

/**
 * A challenge for a passkey, valid only for this purpose and holder: the session, or a visitor's browser. It
 * is stored only when it is used, so nobody can fill a table by asking.
 */
export function makeChallenge(
  { secret, clock }: Pick<DbContext, 'clock'> & { secret: string },
  purpose: Purpose,
  holder: string,
): string {
  const content = `${newToken(16)}.${(clock() + challengeLifeMs).toString(36)}`;
  return `${content}.${sign(secret, 'passkey', `${purpose} ${holder} ${content}`)}`;
}

/** Whether a challenge, as base64url, was made for this purpose and holder, and has not expired. */
export function isChallengeFor(
  { secret, clock }: Pick<DbContext, 'clock'> & { secret: string },
  challenge: string,
  purpose: Purpose,
  holder: string,
): boolean {
  const parts = Buffer.from(challenge, 'base64url').toString().split('.');
  const [nonce, expiresAt = '', signature = ''] = parts;
  const isOurs = isSigned(secret, 'passkey', `${purpose} ${holder} ${nonce}.${expiresAt}`, signature);
  return isOurs && parts.length === 3 && Number.parseInt(expiresAt, 36) > clock();
}

/** Consumes a challenge in the transaction that it authorises. False if it was already used. */
export async function consumeChallenge(
  trx: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  challenge: string,
): Promise<boolean> {
  // The clock of the process that made the challenge may be ahead: the challenge is then valid longer by this
  // clock.
  const seconds = (challengeLifeMs + clockToleranceMs) / 1_000;
  return await markOnce({ db: trx, clock }, `challenge ${challenge}`, seconds);
}

type CookieDeps = Pick<RequestContext, 'config' | 'requestHeaders' | 'replyHeaders'>;

/** The cookie that binds challenges to this browser, set if missing. A session cookie, shared by all tabs. */
export function setVisitorCookie(deps: CookieDeps): string {
  const held = visitorCookie(deps);
  if (held !== undefined) return held;
  const value = newToken();
  setCookie(deps, 'passkey', value, { sameSite: 'strict' });
  return value;
}

/** The cookie of {@link setVisitorCookie}, if the browser has a valid one. */
export function visitorCookie(deps: Omit<CookieDeps, 'replyHeaders'>): string | undefined {
  const value = readCookie(deps, 'passkey');
  return value !== undefined && /^[\w-]{32}$/.test(value) ? value : undefined;
}

/** The one error for every refused passkey: a reason would reveal the owner. */
export function passkeyRefused(): AppError {
  return new AppError('unauthenticated', 'This passkey was not accepted. Please try again.');
}
