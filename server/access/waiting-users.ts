import type { Config } from '../config.ts';
import type { DbContext } from '../db/transaction.ts';

/** The accounts that wait for an admin's decision. */
export function waitingUsers({ db, config }: Pick<DbContext, 'db'> & { config: Config }) {
  const pending = db.selectFrom('users').where('status', '=', 'pending');
  return config.confirmsFirst ? pending.where('email_verified', '=', true) : pending;
}
