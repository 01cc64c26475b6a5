import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { type Scope, scopes } from '../../contract/operation.ts';
import { lockAccount } from '../access/hold-rights.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Tables } from '../db/tables.ts';
import { forgetBrowsers } from './known-browsers.ts';

/** Tells a personal access token from the token of a session, to us and to those who search for leaked ones. */
const prefix = 'coterie_';

export const isAccessToken = (token: string) => token.startsWith(prefix);

/** A new token and what is kept of it. 256 random bits need no slow hash. */
export function createAccessToken(): { token: string; digest: string } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, digest: digestOfToken(token) };
}

/** The last use of a token is noted at most once in this time, to save a write at each request. Milliseconds. */
const useNotedMs = 60 * 60 * 1_000;

/** A token and the account that it belongs to, as long as it is valid. Notes that it was used, and from where. */
export async function findAccessToken(
  { db, clock, config }: Lookup,
  token: string,
  peer: string | null,
): Promise<{ id: string; userId: string; name: string; scopes: readonly Scope[] } | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('digest', '=', digestOfToken(token))
    .executeTakeFirst();
  const now = clock();
  if (row === undefined || endOfToken(row, config) <= now) return undefined;
  if (
    row.last_used_at === null ||
    row.last_used_at + useNotedMs <= now ||
    (peer !== null && row.last_used_from !== peer)
  ) {
    await db
      .updateTable('access_tokens')
      .set({ last_used_at: now, last_used_from: peer ?? row.last_used_from })
      .where('id', '=', row.id)
      .execute()
      // A full disk must not keep programs from reading.
      .catch(() => {});
  }
  return { id: row.id, userId: row.user_id, name: row.name, scopes: scopesOf(row) };
}

type Lookup = { db: Kysely<Tables>; clock: Clock; config: Pick<Config, 'tokenMaxDays'> };

const dayMs = 24 * 60 * 60_000;

/** When a token ends, in milliseconds: at its own date, or when the site lets no token live longer. Infinity for never. */
export function endOfToken(
  row: { created_at: number; expires_at: number | null },
  { tokenMaxDays }: Pick<Config, 'tokenMaxDays'>,
): number {
  const longest =
    tokenMaxDays === undefined ? Number.POSITIVE_INFINITY : row.created_at + tokenMaxDays * dayMs;
  return Math.min(row.expires_at ?? Number.POSITIVE_INFINITY, longest);
}

/** The scopes of a token as its row holds them. */
export function scopesOf(row: { scopes: string }): Scope[] {
  const held = row.scopes.split(' ');
  return scopes.filter(scope => held.includes(scope));
}

/**
 * Ends what opens an account beside its password and its sessions: access tokens, sign-ins that wait for a code, links that
 * sign in, set a new password or confirm an address, and the invitations that it made. Whoever made them while the account
 * was open to them has them no longer. In a transaction, which holds the account: what makes a token or link for a session
 * holds it, too, so it comes before, or finds its session ended.
 */
export async function endTokens(trx: Kysely<Tables>, userId: string): Promise<void> {
  await lockAccount(trx, userId);
  await revokeAccessTokens(trx, userId);
  await trx.deleteFrom('verifications').where('value', '=', userId).execute();
  await trx.deleteFrom('email_links').where('user_id', '=', userId).execute();
  await trx.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute();
  await trx
    .updateTable('invitations')
    .set({ revoked_at: Date.now() })
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends the access tokens of an account, in a transaction that holds it. */
export async function revokeAccessTokens(trx: Kysely<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
}

/**
 * Ends everything that opens an account beside its password: its sessions, and what {@link endTokens} ends. `except` is the
 * token of a session that stays.
 */
export async function endAccess(
  trx: Kysely<Tables>,
  userId: string,
  { except = '' }: { except?: string } = {},
): Promise<void> {
  await endTokens(trx, userId);
  await forgetBrowsers(trx, userId);
  await trx.deleteFrom('sessions').where('user_id', '=', userId).where('token', '<>', except).execute();
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
