import { digestOf } from '../base/secrets.ts';
import type { DbContext } from './transaction.ts';

// Marks that expire, for all processes: rows of the table of attempts (limits/attempts.ts), each under a
// digest of its name.

/** Stores a mark that expires after this many seconds. */
export async function remember({ db, clock }: DbContext, name: string, seconds: number): Promise<void> {
  const expires_at = clock() + seconds * 1_000;
  await db
    .insertInto('attempts')
    .values({ name: digestOf(name), points: 1, expires_at })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ expires_at }))
    .execute();
}

/**
 * Marks an event that must not happen twice within this many seconds. False if the mark is already there.
 * Part of a transaction if that is passed as `db`.
 */
export async function markOnce({ db, clock }: DbContext, name: string, seconds: number): Promise<boolean> {
  const now = clock();
  const expires_at = now + seconds * 1_000;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('attempts')
    .values({ name: digestOf(name), points: 1, expires_at })
    .onConflict(conflict =>
      // An expired mark stays until the next sweep.
      conflict.column('name').doUpdateSet({ expires_at }).where('attempts.expires_at', '<=', now),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Whether a mark exists and has not expired. */
export async function isRemembered({ db, clock }: DbContext, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('attempts')
    .select('expires_at')
    .where('name', '=', digestOf(name))
    .executeTakeFirst();
  return row !== undefined && row.expires_at > clock();
}

/** Removes a mark, or empties a bucket of attempts. */
export async function forget({ db }: Pick<DbContext, 'db'>, name: string): Promise<void> {
  await db.deleteFrom('attempts').where('name', '=', digestOf(name)).execute();
}
