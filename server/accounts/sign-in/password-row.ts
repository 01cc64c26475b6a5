import type { Kysely } from 'kysely';
import type { Tables } from '../../db/tables.ts';

/** The row with the password of an account; undefined if it has none. */
export async function passwordRow(db: Kysely<Tables>, of: { id: string } | { email: string }) {
  const rows = db
    .selectFrom('sign_in_methods')
    .innerJoin('users', 'users.id', 'sign_in_methods.user_id')
    .select(['sign_in_methods.id', 'sign_in_methods.user_id', 'sign_in_methods.password'])
    .where('sign_in_methods.provider', '=', 'credential');
  return await ('id' in of
    ? rows.where('users.id', '=', of.id)
    : rows.where('users.email', '=', of.email)
  ).executeTakeFirst();
}
