import { type Kysely, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables, UserRow } from '../db/tables.ts';
import type { DbContext, Guards } from '../db/transaction.ts';
import { requireRecentSignIn } from './recent-sign-in.ts';
import { isAdminAccount } from './user-counts.ts';
import { accountRows, authorize, type CredentialKey, type Identity, isLessThan, viewerOf } from './viewer.ts';

/**
 * Checks in a transaction that a viewer still has the right they began with, and locks it until the end, so
 * that a revocation waits. Throws as `authorize` does, and `aborted` for a viewer who has lost a tag, or the
 * role of admin or author, but may still call the operation.
 */
export async function holdRights(
  trx: Kysely<Tables>,
  { viewer, credential }: Identity,
  caller: Caller,
): Promise<void> {
  if (caller === 'anyone' || viewer.user === null) return;
  // The account is locked before the session, as everywhere: transactions with one order of locks never
  // deadlock. One at a time: with locks that several hold, what ends a session or an account would wait for
  // as long as somebody else goes on writing with it.
  const account = accountRows(trx).where('users.id', '=', viewer.user.id);
  const user = await dialectOf(trx).oneAtATime(account).executeTakeFirst();
  if (user === undefined) throw new AppError('unauthenticated', 'Please log in first.');
  const now = viewerOf(user, [], viewer.tagIds);
  const readsByTags = now.role === 'member' || now.role === 'author';
  const held = await holdCredential(trx, credential, readsByTags ? user.id : undefined);
  if (!held.isGood) throw new AppError('unauthenticated', 'Please log in first.');
  authorize(now, caller);
  const hasAllTags = !readsByTags || [...viewer.tagIds].every(id => held.tagIds.has(id));
  if (isLessThan(now.role, viewer.role) || !hasAllTags) {
    throw new AppError('aborted', 'Your rights have changed in the meantime. Please try again.');
  }
}

/**
 * The guards of what a caller writes outside operations, such as uploads; `caller` is who may write it.
 * Operations get theirs by `invoke`.
 */
export function guardsOf(deps: Pick<DbContext, 'clock'>, who: Identity, caller: Caller): Guards {
  return {
    holdRights: trx => holdRights(trx, who, caller),
    requireRecentSignIn: trx => requireRecentSignIn(trx, deps, who.credential),
  };
}

/**
 * Whether a session or token still exists; for a member (`memberId`), also the tags that they may read now.
 * One statement, because it runs with each write of a member. Locks the row of the session or token and those
 * of the default tags. The account must be locked already: taking away an approved tag locks it too.
 */
async function holdCredential(
  trx: Kysely<Tables>,
  credential: CredentialKey | null,
  memberId: string | undefined,
): Promise<{ isGood: boolean; tagIds: ReadonlySet<string> }> {
  const { shared } = dialectOf(trx);
  const kind = (name: 'credential' | 'tag') => sql.lit(name).as('kind');
  const credentials = trx
    .selectFrom(credential?.kind === 'token' ? 'access_tokens' : 'sessions')
    .select('id')
    .where('id', '=', credential?.id ?? '');
  const defaults = trx.selectFrom('default_tags').select('tag_id as id');
  const approved = (userId: string) =>
    trx
      .selectFrom('approved_tags')
      .select(['tag_id as id', kind('tag')])
      .where('user_id', '=', userId);
  // PostgreSQL locks no rows in a part of a union, only in a query of its own.
  const held = trx.selectFrom(shared(credentials).as('held')).select(['id', kind('credential')]);
  const query =
    memberId === undefined
      ? held
      : held
          .unionAll(approved(memberId))
          .unionAll(trx.selectFrom(shared(defaults).as('defaults')).select(['id', kind('tag')]));
  const rows = await query.execute();
  return {
    isGood: credential === null || rows.some(row => row.kind === 'credential'),
    tagIds: new Set(rows.filter(row => row.kind === 'tag').map(row => row.id)),
  };
}

/**
 * Locks an account until the transaction ends; undefined if it does not exist. Code that changes an account's
 * sessions, tokens or sign-in methods locks the account before their rows: with one order of locks, no two
 * transactions deadlock.
 */
export async function lockAccount(trx: Kysely<Tables>, userId: string): Promise<UserRow | undefined> {
  const query = trx.selectFrom('users').selectAll().where('id', '=', userId);
  return await dialectOf(trx).forUpdate(query).executeTakeFirst();
}

/** Locks accounts in one order until the transaction ends. */
export async function lockAccounts(trx: Kysely<Tables>, userIds: readonly string[]): Promise<void> {
  const { inList, forUpdate } = dialectOf(trx);
  const query = trx
    .selectFrom('users')
    .select('id')
    .where(inList(sql.ref('id'), userIds))
    .orderBy('id');
  await forUpdate(query).execute();
}

/** Locks all admins in one order, so that two who remove each other cannot deadlock. Returns their ids. */
export async function lockAdmins(trx: Kysely<Tables>): Promise<string[]> {
  const query = trx.selectFrom('users').select('id').where(isAdminAccount).orderBy('id');
  const admins = await dialectOf(trx).forUpdate(query).execute();
  return admins.map(admin => admin.id);
}
