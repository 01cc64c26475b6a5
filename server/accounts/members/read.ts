import type { Kysely } from 'kysely';
import { normalEmail } from '../../../contract/accounts/email.ts';
import { isAdminAccount } from '../../access/user-counts.ts';
import type { Tables } from '../../db/tables.ts';

export async function hasAdmin(db: Kysely<Tables>): Promise<boolean> {
  const admin = await db.selectFrom('users').select('id').where(isAdminAccount).limit(1).executeTakeFirst();
  return admin !== undefined;
}

/** The id of the account with this username or email address, in any case; undefined for none. */
export async function findUserId(db: Kysely<Tables>, usernameOrEmail: string): Promise<string | undefined> {
  const username = usernameOrEmail.trim().toLowerCase();
  const email = normalEmail(usernameOrEmail);
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(eb => eb.or([eb('username', '=', username), eb('email', '=', email)]))
    .executeTakeFirst();
  return row?.id;
}
