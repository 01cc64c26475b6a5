import type { Kysely } from 'kysely';
import { noAddressHost } from '../../../contract/constants.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { deleteIn } from '../profile/profile.ts';

/** The account that has an address, and its username as it is shown. */
export type AccountAt = Pick<UserRow, 'id' | 'status' | 'email_verified'> & { username: string };

/** A query of the account that has an address. */
export function accountAt(db: Kysely<Tables>, email: string) {
  return db
    .selectFrom('users')
    .select(['id', 'display_username as username', 'status', 'email_verified'])
    .where('email', '=', email);
}

/** Locks the account with this address until the transaction ends, if there is one. */
export async function lockAccountAt(trx: Kysely<Tables>, email: string): Promise<AccountAt | undefined> {
  return await dialectOf(trx).forUpdate(accountAt(trx, email)).executeTakeFirst();
}

/** Whether an account certainly has no owner: it is pending, and nobody has proved to read its mailbox. */
export function isUnclaimed({ status, email_verified }: AccountAt): boolean {
  return status === 'pending' && !email_verified;
}

/** Whether an import made an account, or matched it with a person of its source. */
export async function isImported(db: Kysely<Tables>, userId: string): Promise<boolean> {
  const people = db.selectFrom('imported').select('source').where('kind', '=', 'person');
  return (await people.where('target_id', '=', userId).limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Frees the address and username of an account that is replaced in this transaction, which has locked it.
 * Call {@link replaceAccount} once the other account exists.
 */
export async function releaseNames(trx: Kysely<Tables>, userId: string): Promise<void> {
  // No account can have such an address or username.
  const email = `${userId.toLowerCase()}.replaced@${noAddressHost}`;
  const username = `replaced ${userId.toLowerCase()}`;
  await trx.updateTable('users').set({ email, username }).where('id', '=', userId).execute();
}

/**
 * Deletes an account that another replaces. Everything an import brought for it (posts, files, comments,
 * likes, subscription) moves to the other. The rest may belong to a stranger who signed up with the address.
 */
export async function replaceAccount(
  trx: Kysely<Tables>,
  context: Pick<DbContext, 'by' | 'clock'>,
  { id: old }: { id: string },
  by: { id: string; email: string },
): Promise<void> {
  if (await isImported(trx, old)) await handOverImported(trx, old, by);
  await recordHistory(trx, context, { kind: 'account-deleted', user: old });
  await deleteIn(trx, old, 'delete');
}

async function handOverImported(
  trx: Kysely<Tables>,
  from: string,
  { id, email }: { id: string; email: string },
): Promise<void> {
  await trx.updateTable('posts').set({ author_id: id }).where('author_id', '=', from).execute();
  await trx.updateTable('files').set({ uploader_id: id }).where('uploader_id', '=', from).execute();
  await trx.updateTable('comments').set({ user_id: id }).where('user_id', '=', from).execute();
  await trx.updateTable('likes').set({ user_id: id }).where('user_id', '=', from).execute();
  await trx.updateTable('subscriptions').set({ user_id: id, email }).where('user_id', '=', from).execute();
  await trx
    .updateTable('imported')
    .set({ target_id: id })
    .where('kind', '=', 'person')
    .where('target_id', '=', from)
    .execute();
}
