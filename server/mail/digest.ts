import { isAdminAccount } from '../access/user-counts.ts';
import { timeOf } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { queueMail } from './write.ts';

const hourMs = 60 * 60_000;
const keptMs = 30 * 24 * hourMs;

/** Tells every admin that somebody waits for approval: once for each who came since, and at most once an hour. */
export async function queueWaitingDigest({ db, clock, config }: Deps): Promise<void> {
  const now = clock();
  // People who must confirm their address first begin to wait once they have, which changes their account.
  const since = config.confirmsFirst ? 'updated_at' : 'created_at';
  let waiting = db.selectFrom('users').select(`${since} as at`).where('status', '=', 'pending');
  if (config.confirmsFirst) waiting = waiting.where('email_verified', '=', true);
  const newest = await waiting.orderBy(since, 'desc').limit(1).executeTakeFirst();
  if (newest === undefined) return;
  const last = await db
    .selectFrom('mails')
    .select('created_at')
    .where('kind', '=', 'waiting')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // A digest of the future was sent before the clock was set back: `once` still holds it to one an hour.
  const lastAt = last === undefined || last.created_at > now ? Number.NEGATIVE_INFINITY : last.created_at;
  if (now - lastAt < hourMs || timeOf(newest.at) <= lastAt) return;
  const admins = await db.selectFrom('users').select('id').where(isAdminAccount).execute();
  await inTransaction({ db }, async trx => {
    for (const { id } of admins) {
      // Two processes that look at the same moment name the same mail.
      const once = `waiting:${id}:${Math.floor(now / hourMs)}`;
      await queueMail(trx, now, { kind: 'waiting', userId: id, once });
    }
  });
}

/** Deletes mails that were sent or given up a month ago. */
export async function sweepMails({ db, clock }: Deps): Promise<void> {
  await db
    .deleteFrom('mails')
    .where('done_at', '<', clock() - keptMs)
    .execute();
}
