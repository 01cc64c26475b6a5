import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { digestOf, newToken } from '../../base/secrets.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';

type Purpose = Tables['email_links']['purpose'];

/** Makes a one-time link to an address of an account. Returns its token. */
export async function insertLink(
  trx: Kysely<Tables>,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  link: { purpose: Purpose; expires_at: number },
): Promise<string> {
  const token = newToken();
  await trx
    .insertInto('email_links')
    .values({ digest: digestOf(token), user_id: id, email, ...link })
    .execute();
  return token;
}

/** The links of these purposes that have not expired, with their accounts. */
export function openLinks({ db, clock }: Pick<DbContext, 'db' | 'clock'>, ...purposes: Purpose[]) {
  return db
    .selectFrom('email_links')
    .innerJoin('users', 'users.id', 'email_links.user_id')
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', clock());
}

/** The error for a mailed link that was used, has expired or was ended. */
export function linkOver(): AppError {
  return new AppError('failed-precondition', 'This link is no longer valid. Please request a new one.');
}
