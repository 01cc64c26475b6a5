import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { lockAccount } from '../access/hold-rights.ts';
import type { Clock } from '../clock.ts';
import type { Tables, UserRow } from '../db/tables.ts';

/** An account that nobody else decides about until the transaction ends. Throws not-found. */
export async function lockUser(trx: Kysely<Tables>, userId: string): Promise<UserRow> {
  const user = await lockAccount(trx, userId);
  if (user === undefined) throw new AppError('not-found', 'User not found.');
  return user;
}

/** An account as the history of rights names it. */
export function accountOfRow({ id, display_username }: { id: string; display_username: string }) {
  return { id, username: display_username };
}

/** Read once the row is held, and never before the last decision: the later of the two dates is the status. */
export function decisionTime(clock: Clock, user: UserRow): number {
  return Math.max(clock(), user.approved_at ?? 0, user.denied_at ?? 0);
}
