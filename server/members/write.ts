import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import { dialectOf } from '../db/dialect.ts';
import type { MemberStatus, Tables } from '../db/tables.ts';
import { queueMail } from '../mail/write.ts';

type Writing = { db: Kysely<Tables>; clock: Clock };

/**
 * Approves an account, also one that was denied before. Throws not-found. Safe to repeat: the date is that of the
 * decision that made the difference.
 */
export async function approveUser({ db, clock }: Writing, userId: string): Promise<void> {
  await decide(db, userId, 'approved', { approved_at: clock() });
}

/**
 * Denies an account, pending or approved before. It keeps its row and has a visitor's rights from now on; its sessions
 * end (decisions.md 9). Throws not-found; failed-precondition for an admin.
 */
export async function denyUser({ db, clock }: Writing, userId: string): Promise<void> {
  await decide(db, userId, 'denied', { denied_at: clock() });
}

async function decide(
  db: Kysely<Tables>,
  userId: string,
  status: Exclude<MemberStatus, 'pending'>,
  date: { approved_at: number } | { denied_at: number },
): Promise<void> {
  await db.transaction().execute(async trx => {
    const user = await dialectOf(trx)
      .locked(trx.selectFrom('users').select(['status', 'is_admin']).where('id', '=', userId))
      .executeTakeFirst();
    if (user === undefined) throw new AppError('not-found', 'There is no such user.');
    if (user.status === status) return;
    if (user.is_admin) throw new AppError('failed-precondition', 'An admin cannot be denied.');
    await trx
      .updateTable('users')
      .set({ status, ...date })
      .where('id', '=', userId)
      .execute();
    if (status === 'denied') await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
    if ('approved_at' in date) await queueMail(trx, date.approved_at, { kind: 'approved', userId });
  });
}

/** Makes an account an approved admin. Throws not-found. */
export async function makeAdmin({ db, clock }: Writing, userId: string): Promise<void> {
  const result = await db
    .updateTable('users')
    .set({ is_admin: true, status: 'approved', approved_at: clock() })
    .where('id', '=', userId)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new AppError('not-found', 'There is no such user.');
}
