import { type SqlBool, sql } from 'kysely';
import { moment } from '../../contract/date.ts';
import type { Output } from '../../contract/operations.ts';
import { dayMs } from '../base/clock.ts';
import { countRows } from '../db/count-rows.ts';
import type { MailState } from '../db/tables.ts';
import type { DbContext } from '../db/transaction.ts';
import { pausedAccounts } from './bounces.ts';
import { isMail } from './queue.ts';
import type { MailTransport } from './transport.ts';

const problemsShown = 20;
/** Messages to a webhook are listed with it; a notification that fails is among the problems. */
const isNoWebhook = sql<SqlBool>`webhook_id is null`;

export async function getMailState({
  db,
  clock,
  mail,
}: DbContext & { mail: MailTransport }): Promise<Output<'getMailState'>> {
  const count = async (state: MailState, since?: number) => {
    const mails = db.selectFrom('mails').where('state', '=', state).where(isMail);
    return await countRows(since === undefined ? mails : mails.where('done_at', '>=', since));
  };
  const yesterday = clock() - dayMs;
  const oldest = await db
    .selectFrom('mails')
    .select('created_at')
    .where('state', '=', 'queued')
    .where(isMail)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  const problems = await db
    .selectFrom('mails')
    .leftJoin('users', 'users.id', 'mails.user_id')
    .select(['kind', 'display_username', 'state', 'error', 'mails.created_at'])
    .where('error', 'is not', null)
    .where(isNoWebhook)
    .where('state', 'in', ['queued', 'sent', 'failed'])
    .orderBy('mails.created_at', 'desc')
    .orderBy('mails.id')
    .limit(problemsShown)
    .execute();
  const paused = await pausedAccounts(db).orderBy('bounces.last_at', 'desc').limit(problemsShown).execute();
  return {
    paused: paused.map(({ display_username: username, reason, last_at }) => ({
      username,
      reason,
      lastAt: moment(last_at),
    })),
    transport: mail.kind,
    where: mail.where,
    from: await mail.from(),
    queued: await count('queued'),
    sentLastDay: await count('sent', yesterday),
    droppedLastDay: await count('dropped', yesterday),
    failed: await count('failed'),
    oldestQueuedAt: oldest === undefined ? null : moment(oldest.created_at),
    problems: problems.map(row => ({
      kind: row.kind,
      username: row.display_username,
      state: row.state as 'queued' | 'sent' | 'failed',
      error: row.error ?? '',
      createdAt: moment(row.created_at),
    })),
  };
}
