import type { Kysely } from 'kysely';
import type { Tables } from '../../db/tables.ts';

/** The row with the password of an account; undefined if it has none. */
export async function passwordRow(db: Kysely<Tables>, of: { id: string } | { email: string }) {
  const accounts = db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select(['accounts.id', 'accounts.user_id', 'accounts.password'])
    .where('accounts.provider_id', '=', 'credential');
  return await ('id' in of
    ? accounts.where('users.id', '=', of.id)
    : accounts.where('users.email', '=', of.email)
  ).executeTakeFirst();
}
