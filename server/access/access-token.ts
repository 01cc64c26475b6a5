import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';

/** Tells a personal access token from the token of a session, to us and to those who search for leaked ones. */
const prefix = 'coterie_';

export const isAccessToken = (token: string) => token.startsWith(prefix);

/** A new token and what is kept of it. 256 random bits need no slow hash. */
export function createAccessToken(): { token: string; digest: string } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, digest: digestOfToken(token) };
}

/** The account whose token this is, as long as it is valid. */
export async function userOfAccessToken(
  db: Kysely<Tables>,
  token: string,
  now: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .select(['user_id', 'expires_at'])
    .where('digest', '=', digestOfToken(token))
    .executeTakeFirst();
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  return row.user_id;
}

/**
 * Ends what opens an account beside its password and its sessions: access tokens, and links that set a new password.
 * Whoever made them while the account was open to them has them no longer.
 */
export async function endTokens(db: Kysely<Tables>, userId: string): Promise<void> {
  await db.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
  await db.deleteFrom('verifications').where('value', '=', userId).execute();
}

function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
