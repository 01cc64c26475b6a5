import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../access/context.ts';
import { readCookie, setCookie } from '../../access/cookies.ts';
import { digestOf, newToken } from '../../base/secrets.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';

/** How long somebody may take to type a code. */
const lifeSeconds = 10 * 60;

type Pending = {
  digest: string;
  userId: string;
  /** Whether use is to prolong the session. */
  isLong: boolean;
  /** When they proved everything but the code, in milliseconds; undefined if that was when this began. */
  shownAt: number | undefined;
};

/** Whether an account requires a code after any other proof. */
export async function asksForCode(db: Kysely<Tables>, userId: string): Promise<boolean> {
  const factor = db.selectFrom('second_factors').select('user_id').where('user_id', '=', userId);
  return (await factor.executeTakeFirst()) !== undefined;
}

/**
 * Records a sign-in that lacks only a code, in the transaction that checked it. Returns what the browser must
 * send with the code. It is not a session, but ends with the account's sessions.
 */
export async function beginPending(
  trx: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  { userId, isLong, shownAt }: Omit<Pending, 'digest'>,
): Promise<string> {
  const token = newToken(32);
  const expires_at = clock() + lifeSeconds * 1_000;
  await trx
    .insertInto('pending_sign_ins')
    .values({
      digest: digestOf(token),
      user_id: userId,
      expires_at,
      is_long: isLong,
      shown_at: shownAt ?? null,
    })
    .execute();
  return token;
}

/**
 * The error for a missing code: the browser stores its part of the pending sign-in, and the page asks for the
 * code.
 */
export function codeNeeded(deps: Pick<RequestContext, 'config' | 'replyHeaders'>, token: string): AppError {
  setCookie(deps, 'code', token, { maxAge: lifeSeconds });
  return new AppError('unauthenticated', 'Please enter the code of your app.', { asks: 'code' });
}

/** The browser's pending sign-in. Throws failed-precondition if there is none, or it has expired. */
export async function findPending(
  deps: DbContext & Pick<RequestContext, 'config' | 'requestHeaders'>,
): Promise<Pending> {
  const digest = digestOf(readCookie(deps, 'code') ?? '');
  const row = await deps.db
    .selectFrom('pending_sign_ins')
    .select(['user_id', 'is_long', 'shown_at'])
    .where('digest', '=', digest)
    .where('expires_at', '>', deps.clock())
    .executeTakeFirst();
  if (row === undefined) {
    throw new AppError('failed-precondition', 'This took too long. Please log in again.', {
      asks: 'sign-in',
    });
  }
  const { user_id: userId, is_long, shown_at } = row;
  return { digest, userId, isLong: Boolean(is_long), shownAt: shown_at ?? undefined };
}

/** Consumes a pending sign-in, in the transaction that turns it into a session. False if there was none. */
export async function consumePending(trx: Kysely<Tables>, { digest }: Pending): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pending_sign_ins')
    .where('digest', '=', digest)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function sweepPending({ db, clock }: DbContext): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('expires_at', '<=', clock()).execute();
}
