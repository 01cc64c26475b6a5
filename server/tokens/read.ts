import type { Kysely } from 'kysely';
import type { AccessToken } from '../../contract/tokens.ts';
import type { Tables } from '../db/tables.ts';

/** The tokens of an account, newest first. */
export async function listAccessTokens(db: Kysely<Tables>, userId: string): Promise<AccessToken[]> {
  const rows = await db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'created_at', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(describeToken);
}

export function describeToken(row: {
  id: string;
  name: string;
  created_at: number;
  expires_at: number | null;
}): AccessToken {
  return {
    id: row.id,
    name: row.name,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  };
}
