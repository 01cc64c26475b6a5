import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';

/** Tells a personal access token from the token of a session, to us and to those who search for leaked ones. */
const prefix = 'coterie_';

export const isAccessToken = (token: string) => token.startsWith(prefix);

/** A new token and what is kept of it. 256 random bits need no slow hash. */
export function createAccessToken(): { token: string; digest: string } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, digest: digestOfToken(token) };
}

/** How exactly the last use of a token is noted: a write for each request would cost more than it tells. */
const useNotedMs = 60 * 60 * 1_000;

/** A token and the account that it belongs to, as long as it is valid. Notes that it was used. */
export async function findAccessToken(
  db: Kysely<Tables>,
  token: string,
  now: number,
): Promise<{ id: string; userId: string; name: string } | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .select(['id', 'user_id', 'name', 'expires_at', 'last_used_at'])
    .where('digest', '=', digestOfToken(token))
    .executeTakeFirst();
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  if (row.last_used_at === null || row.last_used_at + useNotedMs <= now) {
    await db
      .updateTable('access_tokens')
      .set({ last_used_at: now })
      .where('id', '=', row.id)
      .execute()
      // A full disk is no reason to let nobody read.
      .catch(() => {});
  }
  return { id: row.id, userId: row.user_id, name: row.name };
}

/**
 * Ends what opens an account beside its password and its sessions: access tokens, and links that set a new password or
 * confirm an address. Whoever made them while the account was open to them has them no longer. In a transaction, which
 * holds the account: what makes a token or link for a session holds it, too, so it comes before, or finds its session
 * ended.
 */
export async function endTokens(trx: Kysely<Tables>, userId: string): Promise<void> {
  await dialectOf(trx)
    .forUpdate(trx.selectFrom('users').select('id').where('id', '=', userId))
    .execute();
  await trx.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
  await trx.deleteFrom('verifications').where('value', '=', userId).execute();
  await trx.deleteFrom('email_links').where('user_id', '=', userId).execute();
}

/** Ends everything that opens an account beside its password: its sessions, and what {@link endTokens} ends. */
export async function endAccess(trx: Kysely<Tables>, userId: string): Promise<void> {
  await endTokens(trx, userId);
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/**
 * Ends the connection of an account with one of a provider elsewhere. A new password does so: whoever had the account
 * before may have connected it with an account of theirs. Returns whether there was one.
 */
export async function disconnect(trx: Kysely<Tables>, userId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('accounts')
    .where('user_id', '=', userId)
    .where('provider_id', '<>', 'credential')
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
