import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables, UserRow } from '../db/tables.ts';
import type { Credential, Identity } from './credentials.ts';
import { accountRows, authorize, isLessThan, type Viewer, viewerOf } from './viewer.ts';

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
