import { APIError } from 'better-auth/api';
import type { Kysely } from 'kysely';
import { AppError, fieldError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../access/context.ts';
import { unwrapOutage } from '../../db/outage.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import type { Auth } from './auth.ts';
import { credentialHeaders } from './sessions.ts';

/** A request that better-auth answers: who asks, and where its headers for the browser go. */
export type RequestDeps = RequestContext & { auth: Auth };

export type SignInDeps = RequestDeps & DbContext;

/** The row with what the password of an account is compared with; undefined where there is none. */
export async function passwordRow(db: Kysely<Tables>, of: { id: string } | { email: string }) {
  const accounts = db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select(['accounts.id', 'accounts.password'])
    .where('accounts.provider_id', '=', 'credential');
  return await ('id' in of
    ? accounts.where('users.id', '=', of.id)
    : accounts.where('users.email', '=', of.email.toLowerCase())
  ).executeTakeFirst();
}

export type CurrentSession = { id: string; token: string; userId: string; isLong: boolean };

/** The session that a request belongs to. */
export async function currentSession(deps: RequestDeps): Promise<CurrentSession | undefined> {
  const headers = credentialHeaders(deps);
  const session = (await mapAuthError(deps.auth.api.getSession({ headers })))?.session;
  if (session === undefined) return undefined;
  const { id, token, userId } = session;
  return { id, token, userId, isLong: session.isLong !== false };
}

export function wrongCredentials(): AppError {
  return new AppError('unauthenticated', 'Invalid email or password.');
}

/** What is thrown for a link in a mail that was used, has run out or was ended. */
export function linkOver(): AppError {
  return new AppError('failed-precondition', 'This link is no longer valid. Please request a new one.');
}

/** Awaits an answer of better-auth, and throws its errors as ours. */
export async function mapAuthError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await unwrapOutage(answer);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    switch (error.body?.code) {
      case 'USER_ALREADY_EXISTS':
      case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
        throw fieldError('email', 'An account with this email address already exists.', 'already-exists');
      case 'USERNAME_IS_ALREADY_TAKEN':
        throw fieldError('username', 'This username is already taken.', 'already-exists');
      case 'INVALID_EMAIL_OR_PASSWORD':
      case 'INVALID_EMAIL':
        throw wrongCredentials();
      case 'INVALID_PASSWORD':
        throw fieldError('currentPassword', 'Wrong password.');
      default:
        if (error.statusCode >= 500) throw error;
        // The session has ended since the request was identified.
        if (error.statusCode === 401) throw new AppError('unauthenticated', 'Please log in first.');
        throw new AppError('invalid-argument', error.message);
    }
  }
}
