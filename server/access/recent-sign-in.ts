import type { Kysely, Selectable } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { type Tables, timeOf } from '../db/tables.ts';
import type { DbContext } from '../db/transaction.ts';
import type { Credential } from './viewer.ts';

/** How long a sign-in or a confirmation of identity counts as recent. Milliseconds. */
export const recentSignInMs = 10 * 60_000;

/** Whether a sign-in or confirmation at this moment still counts as recent. */
export const isRecent = (moment: number, now: number) => moment + recentSignInMs > now;

/**
 * Whether the owner of a session has signed in or confirmed their identity recently. An access token needs
 * neither: it was made after a recent sign-in and has scopes.
 */
export async function hasRecentSignIn(
  { db, clock }: Pick<DbContext, 'db' | 'clock'>,
  credential: Credential | null,
): Promise<boolean> {
  if (credential?.kind !== 'session') return true;
  const session = await db
    .selectFrom('sessions')
    .select(['created_at', 'password_given_at'])
    .where('id', '=', credential.id)
    .executeTakeFirst();
  return session !== undefined && isRecent(lastShown(session), clock());
}

/** When the owner of a session last signed in or confirmed their identity, in milliseconds. */
export function lastShown({
  created_at,
  password_given_at,
}: Pick<Selectable<Tables['sessions']>, 'created_at' | 'password_given_at'>): number {
  return password_given_at ?? timeOf(created_at);
}

/**
 * Throws failed-precondition with `details.asks` without a recent sign-in. Protects operations that give
 * access to an account, end it or cannot be undone, in case a stranger finds an open browser. Within a
 * transaction.
 */
export async function requireRecentSignIn(
  trx: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  credential: Credential | null,
): Promise<void> {
  if (await hasRecentSignIn({ db: trx, clock }, credential)) return;
  throw new AppError('failed-precondition', 'Please confirm first that it is you.', {
    asks: 'recent-sign-in',
  });
}
