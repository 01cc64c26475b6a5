import type { Kysely } from 'kysely';
import { type Scope, scopes } from '../../contract/operation.ts';
import { type Clock, dayMs } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Tables } from '../db/tables.ts';
import { digestOf, newToken } from '../secrets.ts';

/** Tells a personal access token from the token of a session, to us and to those who search for leaked ones. */
const prefix = 'coterie_';

export const isAccessToken = (token: string) => token.startsWith(prefix);

/** A new token, and its digest, which is stored. */
export function createAccessToken(): { token: string; digest: string } {
  const token = `${prefix}${newToken(32)}`;
  return { token, digest: digestOf(token) };
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
    .where('digest', '=', digestOf(token))
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
