import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../access/context.ts';
import { readCookie, setCookie } from '../../access/cookies.ts';
import { clockToleranceMs } from '../../base/clock.ts';
import { isSigned, newToken, sign } from '../../base/secrets.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { noteOnce } from '../../limits/attempts.ts';

/** How long a passkey may take to sign: a page where one may log in stands open for a while. Milliseconds. */
const challengeLifeMs = 60 * 60_000;

/** What somebody signs for: nothing that is signed for one counts for another. */
export type Purpose = 'add' | 'sign-in' | 'confirm';

/**
 * A challenge for a passkey, valid only for this purpose and holder: the session, or a visitor's browser. It
 * is not stored until it is used, so nobody can fill a table by asking.
 */
export function makeChallenge(
  { secret, clock }: Pick<DbContext, 'clock'> & { secret: string },
  purpose: Purpose,
  holder: string,
): string {
  const content = `${newToken(16)}.${(clock() + challengeLifeMs).toString(36)}`;
  return `${content}.${sign(secret, 'passkey', `${purpose} ${holder} ${content}`)}`;
}

/** Whether a challenge, as base64url, was made for this purpose and this holder, and not too long ago. */
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

/**
 * Uses a challenge up, in the transaction of what it was signed for. Returns false where it has been used.
 */
export async function consumeChallenge(
  trx: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  challenge: string,
): Promise<boolean> {
  // The clock of the process that made the challenge may be ahead: it is then valid for longer by this clock.
  const seconds = (challengeLifeMs + clockToleranceMs) / 1_000;
  return await noteOnce({ db: trx, clock }, `challenge ${challenge}`, seconds);
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

/** The one error for every refused passkey: a reason would reveal whose it is. */
export function passkeyRefused(): AppError {
  return new AppError('unauthenticated', 'This passkey was not accepted. Please try again.');
}
