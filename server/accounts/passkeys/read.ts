import type { Kysely } from 'kysely';
import type { Passkey } from '../../../contract/accounts/passkeys.ts';
import { moment } from '../../../contract/date.ts';
import type { PasskeyRow, Tables } from '../../db/tables.ts';

/** The rows of an account's passkeys, oldest first. */
export async function passkeyRows(db: Kysely<Tables>, userId: string): Promise<PasskeyRow[]> {
  return await db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** The passkeys of an account, as its owner sees them. */
export async function listPasskeys(db: Kysely<Tables>, userId: string): Promise<{ passkeys: Passkey[] }> {
  const rows = await passkeyRows(db, userId);
  return {
    passkeys: rows.map(row => ({
      id: row.id,
      name: row.name,
      createdAt: moment(row.created_at),
      lastUsedAt: moment(row.last_used_at),
      isSynced: Boolean(row.is_synced),
    })),
  };
}

/** WebAuthn's description of a passkey, by which a browser finds or excludes it. */
export function descriptorOf({ credential_id, transports }: PasskeyRow) {
  const ways = transports.split(' ').filter(way => way !== '');
  return { id: credential_id, ...(ways.length > 0 && { transports: ways }) };
}
