import type { Kysely } from 'kysely';
import type { AccessToken } from '../../contract/tokens.ts';
import type { Tables } from '../db/tables.ts';

/** The tokens of an account, newest first. */
export async function listAccessTokens(db: Kysely<Tables>, userId: string): Promise<AccessToken[]> {
  const rows = await db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'created_at', 'expires_at', 'last_used_at'])
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
  last_used_at: number | null;
}): AccessToken {
  return {
    id: row.id,
    name: row.name,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: moment(row.expires_at),
    lastUsedAt: moment(row.last_used_at),
  };
}

function moment(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
