import { sql } from 'kysely';
import { isAdminAccount } from '../access/user-counts.ts';
import { waitingUsers } from '../access/waiting-users.ts';
import { hourMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { timeOf } from '../db/tables.ts';
import type { MailContext } from './context.ts';
import { webhookMails } from './webhooks/queue.ts';
import { queueMail } from './write.ts';

/**
 * Mails every admin about people who wait for approval, access requests, proposals, and reported comments.
 */
export async function queueAdminDigests(deps: MailContext): Promise<void> {
  // People who must first confirm their address wait from then on.
  const since = deps.config.confirmsFirst ? 'updated_at' : 'created_at';
  const waiting = waitingUsers(deps).select(`${since} as at`).orderBy(since, 'desc').limit(1);
  const came = await waiting.executeTakeFirst();
  if (came !== undefined) await queueAdminDigest(deps, { kind: 'waiting', newest: timeOf(came.at) });
  const reports = deps.db.selectFrom('comment_reports').select('created_at').orderBy('created_at', 'desc');
  const report = await reports.limit(1).executeTakeFirst();
  if (report !== undefined) await queueAdminDigest(deps, { kind: 'reported', newest: report.created_at });
  for (const table of ['access_requests', 'proposals'] as const) {
    const asked = deps.db.selectFrom(table).select('created_at').orderBy('created_at', 'desc');
    const last = await asked.limit(1).executeTakeFirst();
    if (last !== undefined) await queueAdminDigest(deps, { kind: 'asked', newest: last.created_at });
  }
}

/** Queues the mails of one kind if something new has arrived since the last ones, at most once an hour. */
async function queueAdminDigest(
  { db, clock }: MailContext,
  { kind, newest }: { kind: 'waiting' | 'reported' | 'asked'; newest: number },
): Promise<void> {
  const now = clock();
  const rows = await db.selectFrom('users').select('id').where(isAdminAccount).execute();
  const admins = rows.map(({ id }) => id);
  // Searched among admins' mails only, because there is one of each post for each subscriber.
  const last = await db
    .selectFrom('mails')
    .select('created_at')
    .where(dialectOf(db).inList(sql.ref('user_id'), admins))
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // A digest of the future was sent before the clock was set back: `once` still limits it to one an hour.
  const lastAt = last === undefined || last.created_at > now ? Number.NEGATIVE_INFINITY : last.created_at;
  if (now - lastAt < hourMs || newest <= lastAt) return;
  // Two processes that run at the same moment identify the same mails.
  const hour = String(Math.floor(now / hourMs));
  const mails = admins.map(userId => ({ kind, userId, once: `${kind}:${userId}:${hour}` }));
  await queueMail(db, now, ...mails, ...(await webhookMails(db, kind, hour)));
}
