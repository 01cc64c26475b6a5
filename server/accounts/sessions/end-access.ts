import type { Kysely } from 'kysely';
import { lockAccount } from '../../access/hold-rights.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { queueNotice } from '../../mail/write.ts';
import { forgetBrowsers } from './known-browsers.ts';

/**
 * Revokes everything an intruder could have created: access tokens, the feed and address for posts, pending
 * sign-ins, mailed links and invitations. Locks the account row, so a concurrent token creation either
 * commits first and is revoked, or fails.
 */
export async function endTokens(
  trx: Kysely<Tables>,
  context: Pick<DbContext, 'clock'>,
  userId: string,
): Promise<void> {
  await lockAccount(trx, userId);
  await revokeSecrets(trx, userId);
  await trx.deleteFrom('email_links').where('user_id', '=', userId).execute();
  await trx.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute();
  await endInvitations(trx, context, userId);
}

/** Ends the invitations that an account made, in a transaction that has locked it. */
export async function endInvitations(
  trx: Kysely<Tables>,
  { clock }: Pick<DbContext, 'clock'>,
  userId: string,
): Promise<void> {
  await trx
    .updateTable('invitations')
    .set({ revoked_at: clock() })
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}

/**
 * Ends the access tokens of an account, its feed and its address for posts, in a transaction that holds it.
 * They would work again after a later approval.
 */
export async function revokeSecrets(trx: Kysely<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
  await trx.deleteFrom('personal_feeds').where('user_id', '=', userId).execute();
  await endPostAddress(trx, userId);
}

/** Ends the address by which an account posts, in a transaction that holds it. */
export async function endPostAddress(trx: Kysely<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('post_addresses').where('user_id', '=', userId).execute();
}

/**
 * Ends all access to an account other than its password: its sessions, and everything that {@link endTokens}
 * ends.
 */
export async function endAccess(
  trx: Kysely<Tables>,
  context: Pick<DbContext, 'clock'>,
  userId: string,
): Promise<void> {
  await endTokens(trx, context, userId);
  await forgetBrowsers(trx, userId);
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/**
 * Disconnects an account from its provider. A new password does so too: an intruder may have connected their
 * own account. Returns whether it was connected.
 */
export async function disconnect(trx: Kysely<Tables>, userId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('sign_in_methods')
    .where('user_id', '=', userId)
    .where('provider', '<>', 'credential')
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Removes the passkeys of an account whose mailbox is proved for the first time: a stranger who signed up
 * with the address may have made them. The mail to the owner omits their names, which the stranger chose; the
 * history of rights has them.
 */
export async function removeUnprovenPasskeys(
  trx: Kysely<Tables>,
  context: Pick<DbContext, 'by' | 'clock'>,
  userId: string,
): Promise<void> {
  const removed = await trx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .returning(['id', 'name'])
    .execute();
  if (removed.length === 0) return;
  await queueNotice(trx, context.clock(), userId, 'unproven-passkeys-removed');
  const kind = 'passkey-removed';
  await recordHistory(trx, context, ...removed.map(thing => ({ kind, user: userId, thing }) as const));
}
