import type { Kysely, Selectable } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Caller, Scope } from '../../contract/operation.ts';
import { dialectOf } from '../db/dialect.ts';
import { type Tables, timeOf, type UserRow } from '../db/tables.ts';
import { accountRows, authorize, isLessThan, type Viewer, viewerOf } from './viewer.ts';

/**
 * The row of the session or access token with which a request was sent. It is deleted when the owner logs out or when
 * somebody revokes it.
 */
export type Credential = { kind: 'session' | 'token'; id: string };

/** A credential as it was found with a request. */
export type UsedCredential =
  | { kind: 'session'; id: string }
  /** `name` is what its owner calls it. */
  | { kind: 'token'; id: string; name: string; scopes: readonly Scope[] };

/** Refuses an access token that lacks a scope. Sessions have no scopes: they may do whatever their owner may. */
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

/** Who has a right, and the session or token that gives it; `credential` is null for a visitor. */
export type Holder = { viewer: Viewer; credential: Credential | null };

/** Who sends a request, and with which credential; null for a visitor and for a call inside this process. */
export type Identity = { viewer: Viewer; credential: UsedCredential | null };

/**
 * Checks within a transaction whether a viewer may still do what they began, and locks their rights until the
 * transaction ends: whoever revokes them meanwhile waits. Throws as `authorize` does, and `aborted` for somebody who
 * has lost the role of admin or author but may still call the operation, or a tag.
 */
export async function holdRights(
  trx: Kysely<Tables>,
  { viewer, credential }: Identity,
  caller: Caller,
): Promise<void> {
  if (caller === 'anyone' || viewer.user === null) return;
  const { shared } = dialectOf(trx);
  // The account before the session, as everywhere: transactions that lock in one order never deadlock.
  const user = await shared(accountRows(trx).where('users.id', '=', viewer.user.id)).executeTakeFirst();
  if (user === undefined || !(await isGood(trx, credential))) {
    throw new AppError('unauthenticated', 'Please log in first.');
  }
  const now = viewerOf(user, [], viewer.tagIds);
  authorize(now, caller);
  const isAsBefore = !isLessThan(now.role, viewer.role) && (await hasAllTags(trx, now, viewer.tagIds));
  if (!isAsBefore) {
    throw new AppError('aborted', 'Your rights have changed in the meantime. Please try again.');
  }
}

/**
 * Whether a member still has every tag that they had when their request began. An approved tag is held by the account,
 * which whoever takes it away locks; a default tag by its own row.
 */
async function hasAllTags(
  trx: Kysely<Tables>,
  { user, role }: Viewer,
  tagIds: ReadonlySet<string>,
): Promise<boolean> {
  if (user === null || role === 'admin' || role === 'visitor') return true;
  const approved = await trx
    .selectFrom('approved_tags')
    .select('tag_id')
    .where('user_id', '=', user.id)
    .execute();
  const defaults = await dialectOf(trx).shared(trx.selectFrom('default_tags').select('tag_id')).execute();
  const now = new Set([...approved, ...defaults].map(row => row.tag_id));
  return [...tagIds].every(id => now.has(id));
}

/**
 * Locks an account until the transaction ends; undefined for one that does not exist. What changes sessions, tokens or
 * sign-in methods of an account locks it before any of their rows: with one order, no two transactions wait for each other.
 */
export async function lockAccount(trx: Kysely<Tables>, userId: string): Promise<UserRow | undefined> {
  const query = trx.selectFrom('users').selectAll().where('id', '=', userId);
  return await dialectOf(trx).forUpdate(query).executeTakeFirst();
}

async function isGood(trx: Kysely<Tables>, credential: Credential | null): Promise<boolean> {
  if (credential === null) return true;
  const query = trx
    .selectFrom(credential.kind === 'session' ? 'sessions' : 'access_tokens')
    .select('id')
    .where('id', '=', credential.id);
  return (await dialectOf(trx).shared(query).executeTakeFirst()) !== undefined;
}

/** How long a sign-in, or a confirmation of one's identity, counts as recent. Milliseconds. */
export const recentSignInMs = 10 * 60_000;

/** Whether a sign-in or confirmation at this moment still counts as recent. Uses the real clock. */
export const isRecent = (moment: number) => moment + recentSignInMs > Date.now();

/**
 * Whether the owner of a session has signed in, or confirmed their identity, a short while ago. An access token was
 * made after a recent sign-in and has scopes, so it needs none.
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

/** When the owner of a session last signed in or confirmed their identity, in milliseconds. */
export function lastShown({
  created_at,
  password_given_at,
}: Pick<Selectable<Tables['sessions']>, 'created_at' | 'password_given_at'>): number {
  return password_given_at ?? timeOf(created_at);
}

/**
 * Throws failed-precondition with `details.asks` without a recent sign-in. It guards what gives access to an account,
 * ends one or cannot be undone, so that nobody who finds an open browser can do it. Within a transaction.
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
