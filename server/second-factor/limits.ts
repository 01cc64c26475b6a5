import { fieldError } from '../../contract/errors.ts';
import type { Invocation } from '../deps.ts';
import {
  type Bucket,
  forgetAttempts,
  isRemembered,
  remember,
  returnAttempt,
  takeAttempt,
} from '../limits/attempts.ts';
import { checkCode, type Proof } from './codes.ts';

const minutes = 60;
const days = 24 * 60 * minutes;

/**
 * Checks a code of an account: ten times in a quarter of an hour from one network, and of six digits fifty times a day from
 * networks where a code was right before, twenty times from all others. So whoever has the password and guesses takes decades
 * and locks nobody out at home; recovery codes, which nobody guesses, go on working. The point is taken before the code is
 * looked at. Throws invalid-argument for a code that is not good, and resource-exhausted.
 */
export async function provenBy(
  deps: Pick<Invocation, 'db' | 'clock' | 'peer'>,
  userId: string,
  code: string,
): Promise<Proof> {
  const peer = deps.peer ?? 'local';
  const pair = `code of ${userId} from ${peer}`;
  const known = `gave code ${userId} ${peer}`;
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
  await forgetAttempts(deps, pair);
  await remember(deps, known, 90 * days);
  return proof;
}
