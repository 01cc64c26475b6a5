import type { Kysely, Selectable } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Caller, Scope } from '../../contract/operation.ts';
import { dialectOf } from '../db/dialect.ts';
import { type Tables, timeOf } from '../db/tables.ts';
import { accountRows, authorize, isLessThan, type Viewer, viewerOf } from './viewer.ts';

/** The row by which a request is somebody's: it ends when they log out, or when somebody ends it for them. */
export type Credential = { kind: 'session' | 'token'; id: string };

/** A credential as it was found with a request. */
export type UsedCredential =
  | { kind: 'session'; id: string }
  /** `name` is what its owner calls it. */
  | { kind: 'token'; id: string; name: string; scopes: readonly Scope[] };

/** Refuses an access token that lacks the scope for what is asked. Sessions have no scopes: they may all that their owner may. */
export function requireScope(credential: UsedCredential | null, scope: Scope | 'none'): void {
  if (credential?.kind !== 'token') return;
  if (scope === 'none') {
    throw new AppError('permission-denied', 'This is done on the site, not with an access token.');
  }
  if (credential.scopes.includes(scope)) return;
  throw new AppError(
    'permission-denied',
    `The access token ‘${credential.name}’ may not do this: it was made without the scope ‘${scope}’.`,
  );
}

/** Who has a right, and the row on which it stands; `credential` is null for a visitor. */
export type Holder = { viewer: Viewer; credential: Credential | null };

/** Who asks, and by what; `credential` is null for a visitor and for a call inside this process. */
export type Identity = { viewer: Viewer; credential: UsedCredential | null };

/**
 * Asks within a transaction whether a viewer may still do what they began, and keeps it so until the transaction ends:
 * who takes their rights away meanwhile waits. Throws as `authorize` does; aborted for an admin or
 * author who is none any more, but may still call the operation.
 */
export async function holdRights(
  trx: Kysely<Tables>,
  { viewer, credential }: Identity,
  caller: Caller,
): Promise<void> {
  if (caller === 'anyone' || viewer.user === null) return;
  const { shared } = dialectOf(trx);
  // The account before the session, as everywhere: who locks in one order never waits in a circle.
  const user = await shared(accountRows(trx).where('users.id', '=', viewer.user.id)).executeTakeFirst();
  if (user === undefined || !(await isGood(trx, credential))) {
    throw new AppError('unauthenticated', 'Please log in first.');
  }
  const now = viewerOf(user, [], viewer.tagIds);
  authorize(now, caller);
  if (isLessThan(now.role, viewer.role)) {
    throw new AppError('aborted', 'Your rights have changed in the meantime. Please try again.');
  }
}

async function isGood(trx: Kysely<Tables>, credential: Credential | null): Promise<boolean> {
  if (credential === null) return true;
  const query = trx
    .selectFrom(credential.kind === 'session' ? 'sessions' : 'access_tokens')
    .select('id')
    .where('id', '=', credential.id);
  return (await dialectOf(trx).shared(query).executeTakeFirst()) !== undefined;
}

/** How long somebody who has signed in, or shown once more who they are, is not asked again. Milliseconds. */
export const recentSignInMs = 10 * 60_000;

/** Whether a moment is so recent that whoever showed then who they are is not asked again. By the time of day itself. */
export const isRecent = (moment: number) => moment + recentSignInMs > Date.now();

/**
 * Whether the owner of a session has shown a short while ago who they are: by signing in, or once more since. An access token
 * was made after a recent sign-in, for its scopes: it is asked for none.
 */
export async function hasRecentSignIn(
  db: Kysely<Tables>,
  credential: UsedCredential | null,
): Promise<boolean> {
  if (credential?.kind !== 'session') return true;
  const session = await db
    .selectFrom('sessions')
    .select(['created_at', 'password_given_at'])
    .where('id', '=', credential.id)
    .executeTakeFirst();
  return session !== undefined && isRecent(lastShown(session));
}

/** When the owner of a session last showed who they are, in milliseconds. */
export function lastShown({
  created_at,
  password_given_at,
}: Pick<Selectable<Tables['sessions']>, 'created_at' | 'password_given_at'>): number {
  return password_given_at ?? timeOf(created_at);
}

/**
 * Throws failed-precondition with `details.asks` without a recent sign-in: for what opens or ends an account or cannot be undone,
 * so that whoever finds an open browser can do none of it. Within a transaction.
 */
export async function requireRecentSignIn(
  trx: Kysely<Tables>,
  credential: UsedCredential | null,
): Promise<void> {
  if (await hasRecentSignIn(trx, credential)) return;
  throw new AppError('failed-precondition', 'Please confirm first that it is you.', {
    asks: 'recent-sign-in',
  });
}
