import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { authorize, type Viewer, viewerOf } from './viewer.ts';

/** The row by which a request is somebody's: it ends when they log out, or when somebody ends it for them. */
export type Credential = { kind: 'session' | 'token'; id: string };

/** A credential as it was found with a request. */
export type UsedCredential =
  | { kind: 'session'; id: string }
  /** `name` is what its owner calls it. */
  | { kind: 'token'; id: string; name: string };

/** Who has a right, and the row on which it stands; `credential` is null for a visitor. */
export type Holder = { viewer: Viewer; credential: Credential | null };

/** Who asks, and by what; `credential` is null for a visitor and for a call inside this process. */
export type Identity = { viewer: Viewer; credential: UsedCredential | null };

/**
 * Asks within a transaction whether a viewer may still do what they began, and keeps it so until the transaction ends:
 * who takes their rights away meanwhile waits. Throws as `authorize` does; aborted for an admin who is none any more,
 * but may still call the operation.
 */
export async function holdRights(
  trx: Kysely<Tables>,
  { viewer, credential }: Identity,
  caller: Caller,
): Promise<void> {
  if (caller === 'anyone' || viewer.user === null) return;
  const { shared } = dialectOf(trx);
  // The account before the session, as everywhere: who locks in one order never waits in a circle.
  const user = await shared(
    trx.selectFrom('users').selectAll().where('id', '=', viewer.user.id),
  ).executeTakeFirst();
  if (user === undefined || !(await isGood(trx, credential))) {
    throw new AppError('unauthenticated', 'Please log in first.');
  }
  const now = viewerOf(user, [], viewer.tagIds);
  authorize(now, caller);
  if (viewer.role === 'admin' && now.role !== 'admin') {
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
