import { type Kysely, sql } from 'kysely';
import { isAdminAccount } from '../access/user-counts.ts';
import { dayMs, hourMs } from '../base/clock.ts';
import type { Config } from '../config.ts';
import { dialectOf } from '../db/dialect.ts';
import { type MailState, type Tables, timeOf } from '../db/tables.ts';
import type { DbContext } from '../db/transaction.ts';
import type { MailContext } from './context.ts';
import { queueMail } from './write.ts';

const keptMs = 30 * dayMs;

/**
 * Tells every admin that somebody waits for approval: once for each who came since, and at most once an hour.
 */
export async function queueWaitingDigest(deps: MailContext): Promise<void> {
  const { db, clock, config } = deps;
  const now = clock();
  // People who must confirm their address first begin to wait once they have.
  const since = config.confirmsFirst ? 'updated_at' : 'created_at';
  const newest = await waitingUsers(deps)
    .select(`${since} as at`)
    .orderBy(since, 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return;
  const rows = await db.selectFrom('users').select('id').where(isAdminAccount).execute();
  const admins = rows.map(({ id }) => id);
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
  // Two processes that look at the same moment name the same mails.
  const once = (userId: string) => `waiting:${userId}:${Math.floor(now / hourMs)}`;
  const mails = admins.map(userId => ({ kind: 'waiting' as const, userId, once: once(userId) }));
  await queueMail(db, now, ...mails);
}

/** The accounts that wait for a decision of an admin. */
export function waitingUsers({ db, config }: Pick<DbContext, 'db'> & { config: Config }) {
  const pending = db.selectFrom('users').where('status', '=', 'pending');
  return config.confirmsFirst ? pending.where('email_verified', '=', true) : pending;
}

/** Few enough to delay nobody: on a large site there is a mail for each subscriber and post. */
const mailsAtOnce = 1_000;

/** Deletes mails that were sent or given up a month ago. */
export async function sweepMails({ db, clock, stopping }: DbContext & { stopping: AbortSignal }) {
  const before = clock() - keptMs;
  for (const state of ['sent', 'dropped', 'failed'] as const) {
    for (let from: number | undefined = 0; from !== undefined && !stopping.aborted; ) {
      // Both bounds: with the later one alone PostgreSQL still reckons with the mails that earlier parts have
      // deleted.
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
