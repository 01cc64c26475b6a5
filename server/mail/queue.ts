import { type Kysely, type SqlBool, sql } from 'kysely';
import { dayMs, hourMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { isOver, keepRenewed } from '../db/lease.ts';
import type { MailRow, MailState, Tables } from '../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../db/transaction.ts';
import type { MailContext } from './context.ts';
import { NotNeeded, NotYet } from './not-needed.ts';
import { MailRefused } from './transport.ts';

/** How long a worker holds a mail; if it dies, another takes over after that. Milliseconds. */
export const leaseMs = 15_000;
export const claimedAtOnce = 20;
const maxAttempts = 20;
/** How many of a mail's attempts a refusal uses up. */
export const attemptsFor: Record<MailRefused['scope'], number> = {
  recipient: 1,
  later: 1,
  // A completely sent message may have arrived: it is sent three times at most, after a minute and after six
  // hours more.
  unanswered: 9,
  // These are not about the mail.
  pace: 0,
  connection: 0,
  server: 0,
};
const maxBackoffMs = 6 * hourMs;
/**
 * The least wait of a mail after the server was too busy for it: others go first, in case it is about this
 * mail.
 */
const minWaitMs = 5_000;
/** How long a mail waits for an unreachable server, and a message for a webhook. */
const maxAgeMs = 3 * dayMs;
const maxAgeForWebhookMs = dayMs;

type Work = {
  lease: string;
  /** The claimed mails; those left at the end are released. */
  mails: MailRow[];
  workers: number;
  goesOn?: () => boolean;
  /** Handles a mail. A worker ends after one for which this is false. */
  take: (row: MailRow) => Promise<boolean>;
};

/** Works on claimed mails until the process is stopping or the claim may have ended. */
export async function workOn(
  deps: MailContext,
  { lease, mails, workers, goesOn = () => true, take }: Work,
): Promise<void> {
  const claimed = keepLease(deps, lease, mails);
  const work = async () => {
    while (!deps.stopping.aborted && claimed.isHeld() && goesOn()) {
      const row = mails.shift();
      if (row === undefined || !(await take(row))) return;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: workers }, work));
  claimed.stopRenewing();
  const failure = ends.find(end => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  for (const row of mails) await release(deps, row, lease, {});
}

/**
 * Renews the claim on mails while this process lives, however slow the server is. `isHeld` is false once the
 * claim may have ended, as after a pause of this process: then another worker sends them.
 */
function keepLease({ db, clock, log }: MailContext, lease: string, mails: readonly MailRow[]) {
  const isClaimed = isAmong(db, mails);
  let heldUntil = clock() + leaseMs;
  const renew = async () => {
    const until = clock() + leaseMs;
    await db
      .updateTable('mails')
      .set({ leased_until: until })
      .where(isClaimed)
      .where('lease', '=', lease)
      .where('state', '=', 'queued')
      .execute();
    heldUntil = until;
  };
  const stopRenewing = keepRenewed(renew, leaseMs / 3, error =>
    log.warn({ err: error }, 'the claim on mails could not be renewed'),
  );
  return { isHeld: () => clock() < heldUntil, stopRenewing };
}

/**
 * False for mails that a person is waiting for on screen (confirm, reset, sign-in), so these sort first. As
 * in the index `mails_by_lane`.
 */
const isNotAwaited = sql<SqlBool>`kind not in ('confirm', 'reset', 'sign-in')`;

/** A lane of the queue: its rows do not wait while the servers of another lane are unavailable. */
export type Lane = 'mail' | 'push' | 'webhook';

/** As in the index `mails_by_lane`. */
const laneOfRow = sql<Lane>`(case when webhook_id is not null then 'webhook'
  when kind = 'push' then 'push' else 'mail' end)`;

/** Whether a row is a mail: notifications and messages to webhooks are none. */
export const isMail = sql<SqlBool>`${laneOfRow} = 'mail'`;

/** Claims due rows of a lane that no living worker holds. */
export async function claim(
  { db, clock }: DbContext,
  { lease, lane, most }: { lease: string; lane: Lane; most: number },
): Promise<MailRow[]> {
  const now = clock();
  return await inTransaction({ db, ...unguarded }, async trx => {
    const due = trx
      .selectFrom('mails')
      .selectAll()
      .where('state', '=', 'queued')
      .where(laneOfRow, '=', lane)
      .where(isOver('due_at', { now, ms: maxBackoffMs }))
      .where(isOver('leased_until', { now, ms: leaseMs }))
      .orderBy(isNotAwaited)
      .orderBy('due_at')
      .orderBy('id')
      .limit(most);
    const rows = await dialectOf(trx).skipLocked(due).execute();
    if (rows.length === 0) return [];
    await trx
      .updateTable('mails')
      .set({ lease, leased_until: now + leaseMs })
      .where(isAmong(trx, rows))
      .execute();
    return rows;
  });
}

function isAmong(db: Kysely<Tables>, mails: readonly MailRow[]) {
  const ids = mails.map(({ id }) => id);
  return dialectOf(db).inList(sql.ref('id'), ids);
}

/** The next state of a mail that could not be sent. Rethrows anything that is not a mail error. */
export function unsent(row: MailRow, error: unknown, now: number): Partial<MailRow> {
  if (error instanceof NotNeeded) return ended('dropped', now, error.message);
  // It was not refused: the age at which it is given up counts from now on.
  if (error instanceof NotYet) return { due_at: error.dueAt, created_at: now };
  if (!(error instanceof MailRefused)) throw error;
  const { scope, message } = error;
  const attempts = row.attempts + attemptsFor[scope];
  const maxAge = row.webhook_id === null ? maxAgeMs : maxAgeForWebhookMs;
  const isGivenUp = scope === 'recipient' || attempts >= maxAttempts || now - row.created_at > maxAge;
  if (isGivenUp) return ended('failed', now, message);
  return { attempts, due_at: nextAttemptAt(row, scope, now), error: message };
}

/** When an unaccepted mail is tried again. */
function nextAttemptAt(row: MailRow, scope: MailRefused['scope'], now: number): number {
  if (scope === 'server' || scope === 'connection') return row.due_at;
  if (scope !== 'pace') return now + Math.min(maxBackoffMs, 60_000 * 2 ** row.attempts);
  // No attempt is counted, so the wait grows with the age of the mail.
  return now + Math.min(maxBackoffMs, Math.max(minWaitMs, Math.round((now - row.created_at) / 4)));
}

/** A finished mail keeps nothing of its content. */
export function ended(state: MailState, now: number, error: string | null = null): Partial<MailRow> {
  return { state, error, data: '{}', done_at: now };
}

/** Records the result of a mail, and releases it, unless another worker has taken it over. */
export async function release(
  { db }: Pick<DbContext, 'db'>,
  row: MailRow,
  lease: string,
  became: Partial<MailRow>,
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ ...became, lease: null, leased_until: null })
    .where('id', '=', row.id)
    .where('lease', '=', lease)
    .execute();
}

/** How long sent and abandoned mails are kept for the page of mails. */
const keptMs = 30 * dayMs;
/** Few enough to delay nobody: a large site has a mail for each subscriber and post. */
const mailsAtOnce = 1_000;

/** Deletes mails that were sent or given up a month ago. */
export async function sweepMails({ db, clock, stopping }: DbContext & { stopping: AbortSignal }) {
  const before = clock() - keptMs;
  for (const state of ['sent', 'dropped', 'failed'] as const) {
    for (let from: number | undefined = 0; from !== undefined && !stopping.aborted; ) {
      // Both bounds: with only the later one, PostgreSQL's planner still counts the mails that earlier parts
      // have deleted.
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

/** When the last of this many mails was finished; undefined if fewer follow. */
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
