import { type Kysely, sql } from 'kysely';
import { isAdminAccount } from '../access/user-counts.ts';
import { dayMs, hourMs } from '../clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { type MailState, type Tables, timeOf } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { queueMail } from './write.ts';

const keptMs = 30 * dayMs;

/** Tells every admin that somebody waits for approval: once for each who came since, and at most once an hour. */
export async function queueWaitingDigest({ db, clock, config }: Deps): Promise<void> {
  const now = clock();
  // People who must confirm their address first begin to wait once they have.
  const since = config.confirmsFirst ? 'updated_at' : 'created_at';
  let waiting = db.selectFrom('users').select(`${since} as at`).where('status', '=', 'pending');
  if (config.confirmsFirst) waiting = waiting.where('email_verified', '=', true);
  const newest = await waiting.orderBy(since, 'desc').limit(1).executeTakeFirst();
  if (newest === undefined) return;
  const admins = (await db.selectFrom('users').select('id').where(isAdminAccount).execute()).map(
    ({ id }) => id,
  );
  // Among the mails of admins, because there is one of each post for each subscriber.
  const last = await db
    .selectFrom('mails')
    .select('created_at')
    .where(dialectOf(db).inList(sql.ref('user_id'), admins))
    .where('kind', '=', 'waiting')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // A digest of the future was sent before the clock was set back: `once` still holds it to one an hour.
  const lastAt = last === undefined || last.created_at > now ? Number.NEGATIVE_INFINITY : last.created_at;
  if (now - lastAt < hourMs || timeOf(newest.at) <= lastAt) return;
  await inTransaction({ db }, async trx => {
    for (const id of admins) {
      // Two processes that look at the same moment name the same mail.
      const once = `waiting:${id}:${Math.floor(now / hourMs)}`;
      await queueMail(trx, now, { kind: 'waiting', userId: id, once });
    }
  });
}

/** Few enough to delay nobody: on a large site there is a mail for each subscriber and post. */
const mailsAtOnce = 1_000;

/** Deletes mails that were sent or given up a month ago. */
export async function sweepMails({ db, clock, stopping }: Pick<Deps, 'db' | 'clock' | 'stopping'>) {
  const before = clock() - keptMs;
  for (const state of ['sent', 'dropped', 'failed'] as const) {
    for (let from: number | undefined = 0; from !== undefined && !stopping.aborted; ) {
      // Both bounds: with the later one alone PostgreSQL still reckons with the mails that earlier parts have deleted.
      const end = await endOfPart(db, { state, from, before });
      await db
        .deleteFrom('mails')
        .where('state', '=', state)
        .where('done_at', '>=', from)
        .where('done_at', '<=', end ?? before - 1)
        .execute();
      from = end;
    }
  }
}

/** When the last of so many mails was done; undefined where fewer follow. */
async function endOfPart(
  db: Kysely<Tables>,
  { state, from, before }: { state: MailState; from: number; before: number },
): Promise<number | undefined> {
  const last = await db
    .selectFrom('mails')
    .select('done_at')
    .where('state', '=', state)
    .where('done_at', '>=', from)
    .where('done_at', '<', before)
    .orderBy('done_at')
    .offset(mailsAtOnce - 1)
    .limit(1)
    .executeTakeFirst();
  return last?.done_at ?? undefined;
}
