import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { fieldError } from '../../../contract/errors.ts';
import type { SiteSettings } from '../../../contract/site-settings.ts';
import type { RequestContext } from '../../access/context.ts';
import { digestOf } from '../../base/secrets.ts';
import { forget, isRemembered, remember } from '../../db/marks.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { type Bucket, returnAttempt, takeAttempt } from '../../limits/attempts.ts';

/** A code is also accepted one step early or late (RFC 6238, section 5.2), as clocks differ. */
const stepsAround = 1;
const secretBytes = 20;
const recoveryCodes = 10;

const minutes = 60;
const days = 24 * 60 * minutes;

/** What a code proves, in the form that consumes it. */
type Proof = { step: number } | { recoveryDigest: string };

/** A new secret, in base32. */
export const newSecret = () => new Secret({ size: secretBytes }).base32;

export function uriOf(secret: string, { title }: Pick<SiteSettings, 'title'>, label: string): string {
  // Apps split the name of the site from the account at the first colon.
  const issuer = title.replaceAll(':', ' ').replaceAll(/\s+/g, ' ').trim() || 'Coterie';
  return new TOTP({ issuer, label, secret }).toString();
}

/** The time step that a code belongs to; undefined if it is not valid now. */
export function stepOf(
  secret: string,
  code: string,
  { clock }: Pick<DbContext, 'clock'>,
): number | undefined {
  const totp = new TOTP({ secret });
  const timestamp = clock();
  const delta = totp.validate({ token: code, timestamp, window: stepsAround });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

/** Ten recovery codes of 53 bits. They are digits only, which every keyboard has. */
export function newRecoveryCodes(): string[] {
  const group = () => String(randomInt(10_000)).padStart(4, '0');
  return Array.from({ length: recoveryCodes }, () => `${group()}-${group()}-${group()}-${group()}`);
}

export function recoveryDigest(userId: string, code: string): string {
  return digestOf(`recovery ${userId} ${code.replaceAll('-', '')}`);
}

/**
 * What a code proves, to be consumed by {@link consumeProof}; undefined for a wrong or used code. An app's
 * code is valid once, and only if it is newer than the last.
 */
async function checkCode({ db, clock }: DbContext, userId: string, code: string): Promise<Proof | undefined> {
  if (code.length > 6) {
    const digest = recoveryDigest(userId, code);
    const row = await db
      .selectFrom('recovery_codes')
      .select('digest')
      .where('digest', '=', digest)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row && { recoveryDigest: row.digest };
  }
  const factor = await db
    .selectFrom('second_factors')
    .select(['secret', 'last_step'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (factor === undefined) return undefined;
  const step = stepOf(factor.secret, code, { clock });
  return step === undefined || step <= factor.last_step ? undefined : { step };
}

/**
 * Checks a code: ten tries in a quarter of an hour per network. For six digits also fifty a day from networks
 * where a code was right before, and twenty a day from all others together. So guessing takes decades, and
 * locks nobody out at home. Recovery codes cannot be guessed and are exempt. The attempt is counted before
 * the check. Throws invalid-argument for a wrong code, and resource-exhausted.
 */
export async function provenBy(
  deps: DbContext & Pick<RequestContext, 'network'>,
  userId: string,
  code: string,
): Promise<Proof> {
  const network = deps.network ?? 'local';
  const pair = `code of ${userId} from ${network}`;
  const known = `gave code ${userId} ${network}`;
  const isKnown = await isRemembered(deps, known);
  const daily: Bucket = isKnown
    ? { name: `code of ${userId} from known`, points: 50, seconds: days }
    : { name: `code of ${userId}`, points: 20, seconds: days };
  const isShort = code.length === 6;
  await takeAttempt(deps, { name: pair, points: 10, seconds: 15 * minutes });
  if (isShort) await takeAttempt(deps, daily);
  const proof = await checkCode(deps, userId, code);
  if (proof === undefined) {
    throw fieldError('code', 'This code is not right, or was used. Please enter the next one.');
  }
  if (isShort) await returnAttempt(deps, daily);
  await forget(deps, pair);
  await remember(deps, known, 90 * days);
  return proof;
}

/** Consumes the code in the transaction it authorises. False if it was already used. */
export async function consumeProof(trx: Kysely<Tables>, userId: string, proof: Proof): Promise<boolean> {
  if ('step' in proof) {
    const { numUpdatedRows } = await trx
      .updateTable('second_factors')
      .set({ last_step: proof.step })
      .where('user_id', '=', userId)
      .where('last_step', '<', proof.step)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
  const { numDeletedRows } = await trx
    .deleteFrom('recovery_codes')
    .where('digest', '=', proof.recoveryDigest)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
