import type { Kysely } from 'kysely';
import type { Input, Output } from '../../contract/operations.ts';
import { lockAccount } from '../access/hold-rights.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';

type Settings = Output<'setReadingSettings'>;

/** The reading settings of an account. Posts of earlier years are shown only on request. */
export async function readingSettings(db: Kysely<Tables>, userId: string): Promise<Settings> {
  const row = await db
    .selectFrom('reading_settings')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) return { showsPast: false, keepsOpened: true };
  return { showsPast: Boolean(row.shows_past), keepsOpened: Boolean(row.keeps_opened) };
}

/** Changes the reading settings of an account. Turning off the memory of opened posts deletes it. */
export async function setReadingSettings(
  context: WriteContext,
  userId: string,
  { showsPast, keepsOpened }: Input<'setReadingSettings'>,
): Promise<Settings> {
  return await inTransaction(context, async trx => {
    // Another tab may change the other setting at this moment, and a post may be opened.
    await lockAccount(trx, userId);
    const before = await readingSettings(trx, userId);
    const chosen = {
      showsPast: showsPast ?? before.showsPast,
      keepsOpened: keepsOpened ?? before.keepsOpened,
    };
    const row = { shows_past: chosen.showsPast, keeps_opened: chosen.keepsOpened };
    await trx
      .insertInto('reading_settings')
      .values({ user_id: userId, ...row })
      .onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
      .execute();
    if (!chosen.keepsOpened) await trx.deleteFrom('opened_posts').where('user_id', '=', userId).execute();
    return chosen;
  });
}
