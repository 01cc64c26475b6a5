import { type Kysely, type SqlBool, sql } from 'kysely';
import { dayMs, hourMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { isOver, keepRenewed } from '../db/lease.ts';
import type { MailRow, MailState, Tables } from '../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../db/transaction.ts';
import type { MailContext } from './context.ts';
import { NotNeeded, NotYet } from './not-needed.ts';
import { MailRefused } from './transport.ts';

/** A worker holds a mail for so long; when it dies, another takes over after that. Milliseconds. */
const leaseMs = 15_000;
export const claimedAtOnce = 20;
const maxAttempts = 20;
/** How many of a mail's attempts a refusal uses up. */
export const attemptsFor: Record<MailRefused['scope'], number> = {
  recipient: 1,
  later: 1,
  // A message that was sent whole may have arrived: it is sent three times at most, after a minute and after
  // six hours more.
  unanswered: 9,
  // These say nothing about the mail.
  pace: 0,
  connection: 0,
  server: 0,
};
const maxBackoffMs = 6 * hourMs;
/**
 * How long a mail waits at least after the server was too busy for it: others go first, in case it is about
 * this mail.
 */
const minWaitMs = 5_000;
/** How long a mail waits for a server that cannot be reached, and a message to a webhook. */
const maxAgeMs = 3 * dayMs;
const maxAgeForWebhookMs = dayMs;

type Work = {
  lease: string;
  /** Mails that were claimed; those that are left are released. */
  mails: MailRow[];
  workers: number;
  /** Whether another mail is to be taken. */
  goesOn?: () => boolean;
  /** Takes a mail. A worker ends after one for which this is false. */
  take: (row: MailRow) => Promise<boolean>;
};

/** Works on mails that were claimed, until this process is to stop or the claim may have ended. */
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
 * claim may have ended, as when this process was stopped for a while: another worker sends them then.
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
 * False for mails that somebody waits for at the screen; they overtake all others. As in the index
 * `mails_by_lane`.
 */
const isNotAwaited = sql<SqlBool>`kind not in ('confirm', 'reset', 'sign-in')`;

/** Rows of one lane do not wait while the servers of another are away. */
export type Lane = 'mail' | 'push' | 'webhook';

/** As in the index `mails_by_lane`. */
const laneOfRow = sql<Lane>`(case when webhook_id is not null then 'webhook'
  when kind = 'push' then 'push' else 'mail' end)`;

/** Takes rows of a lane that are due and that no living worker holds. */
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

/** Whether a mail is one of these. */
function isAmong(db: Kysely<Tables>, mails: readonly MailRow[]) {
  const ids = mails.map(({ id }) => id);
  return dialectOf(db).inList(sql.ref('id'), ids);
}

/** What becomes of a mail that could not be sent. Rethrows anything that is not a mail error. */
export function unsent(row: MailRow, error: unknown, now: number): Partial<MailRow> {
  if (error instanceof NotNeeded) return ended('dropped', now, error.message);
  // Nobody has refused it: the age at which it is given up counts from now on.
  if (error instanceof NotYet) return { due_at: error.dueAt, created_at: now };
  if (!(error instanceof MailRefused)) throw error;
  const { scope, message } = error;
  const attempts = row.attempts + attemptsFor[scope];
  const maxAge = row.webhook_id === null ? maxAgeMs : maxAgeForWebhookMs;
  const isGivenUp = scope === 'recipient' || attempts >= maxAttempts || now - row.created_at > maxAge;
  if (isGivenUp) return ended('failed', now, message);
  return { attempts, due_at: nextAttemptAt(row, scope, now), error: message };
}

/** When a mail that was not taken is tried again. */
function nextAttemptAt(row: MailRow, scope: MailRefused['scope'], now: number): number {
  if (scope === 'server' || scope === 'connection') return row.due_at;
  if (scope !== 'pace') return now + Math.min(maxBackoffMs, 60_000 * 2 ** row.attempts);
  // No attempt is counted, so the wait grows with the age of the mail.
  return now + Math.min(maxBackoffMs, Math.max(minWaitMs, Math.round((now - row.created_at) / 4)));
}

/** A mail that is not tried again keeps nothing of what it said. */
export function ended(state: MailState, now: number, error: string | null = null): Partial<MailRow> {
  return { state, error, data: '{}', done_at: now };
}

/** Notes what became of a mail, and releases it, unless another worker has taken it over. */
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

/** Mails that were sent or given up are kept so long: the page of mails shows them. */
const keptMs = 30 * dayMs;
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
