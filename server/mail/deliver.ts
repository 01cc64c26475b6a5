import { type Kysely, type SqlBool, sql } from 'kysely';
import { dayMs, hourMs } from '../base/clock.ts';
import { createId } from '../base/id.ts';
import { dialectOf } from '../db/dialect.ts';
import { isOver } from '../db/lease.ts';
import type { MailRow, MailState, Tables } from '../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../db/transaction.ts';
import { expandAnnouncement } from './announce.ts';
import { noteBounce } from './bounces.ts';
import type { Mail } from './compose.ts';
import type { MailContext } from './context.ts';
import { NotNeeded } from './not-needed.ts';
import { NotYet, prepareMail } from './prepare.ts';
import { sendPush } from './push/send.ts';
import { MailRefused, mailConnections } from './transport.ts';

/** A worker holds a mail for so long; when it dies, another takes over after that. Milliseconds. */
const leaseMs = 15_000;
const claimedAtOnce = 20;
const maxAttempts = 20;
/** How many of a mail's attempts a refusal uses up. */
const attemptsFor: Record<MailRefused['scope'], number> = {
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
/** How long a mail waits for a server that cannot be reached. */
const maxAgeMs = 3 * dayMs;

/** `isTooFast`: the server takes fewer mails at a time, or fewer connections. */
export type Delivered = { sent: number; isServerDown: boolean; isTooFast?: true; error?: string };

/**
 * Sends what is due until nothing is, `most` mails are sent, the server takes none at present, or this
 * process is to stop. It begins with so many `connections`. Several processes may do so at once. A mail is
 * claimed before it is sent and noted as sent after the server's answer: one whose process dies in between is
 * sent again, with the same Message-ID, and no other is.
 */
export async function deliverDue(
  deps: MailContext,
  connections = mailConnections,
  most = Number.POSITIVE_INFINITY,
): Promise<Delivered> {
  const lease = createId();
  const delivered: Delivered = { sent: 0, isServerDown: false };
  while (!deps.stopping.aborted && (await expandAnnouncement(deps)));
  // A server may allow fewer connections than we would like: each that fails is one less, until none is left.
  let workers = connections;
  let mostWorkers = mailConnections;
  for (;;) {
    const atOnce = Math.min(claimedAtOnce, most - delivered.sent);
    const mails = deps.stopping.aborted || atOnce < 1 ? [] : await claim(deps, lease, atOnce);
    if (mails.length === 0) return delivered;
    const claimed = keepLease(deps, lease, mails);
    const work = async () => {
      while (!deps.stopping.aborted && claimed.isHeld() && workers > 0) {
        const row = mails.shift();
        if (row === undefined) return;
        const refusal = await deliverOne(deps, row, lease, delivered);
        if (refusal === undefined) continue;
        delivered.error = refusal.message;
        // One who sends too fast stops at once; a connection that is not let in leaves the others.
        workers = refusal.scope === 'pace' ? 0 : Math.max(0, workers - 1);
        mostWorkers = workers;
        if (workers === 0 && refusal.scope !== 'server') delivered.isTooFast = true;
        return;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: workers }, work));
    claimed.stopRenewing();
    const failure = ends.find(end => end.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    for (const row of mails) await release(deps, row, lease, {});
    if (workers === 0) return { ...delivered, isServerDown: true };
    workers = Math.min(mostWorkers, workers * 2);
  }
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
  const timer = setInterval(() => {
    renew().catch((error: unknown) => log.warn({ err: error }, 'the claim on mails could not be renewed'));
  }, leaseMs / 3);
  return { isHeld: () => clock() < heldUntil, stopRenewing: () => clearInterval(timer) };
}

/**
 * False for mails that somebody waits for at the screen; they overtake all others. As in the index
 * `mails_by_urgency`.
 */
const isNotAwaited = sql<SqlBool>`kind not in ('confirm', 'reset', 'sign-in')`;

/** Takes mails that are due and that no living worker holds. */
async function claim({ db, clock }: DbContext, lease: string, most: number): Promise<MailRow[]> {
  const now = clock();
  return await inTransaction({ db, ...unguarded }, async trx => {
    const due = trx
      .selectFrom('mails')
      .selectAll()
      .where('state', '=', 'queued')
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

/**
 * Sends a mail, notes what became of it, and counts it in `delivered` if it was sent. Returns the refusal of
 * a server that takes none at present.
 */
async function deliverOne(
  deps: MailContext,
  row: MailRow,
  lease: string,
  delivered: Delivered,
): Promise<MailRefused | undefined> {
  let mail: Mail | undefined;
  try {
    if (row.kind === 'push') await sendPush(deps, row);
    else
      await deps.mail.send(async () => {
        mail = await prepareMail(deps, row);
        return mail;
      });
  } catch (error) {
    await noteRefusal(deps, row, mail, error);
    await release(deps, row, lease, unsent(row, error, deps.clock()));
    const isAboutServer = error instanceof MailRefused && attemptsFor[error.scope] === 0;
    return isAboutServer ? error : undefined;
  }
  delivered.sent += 1;
  await noteTold(deps.db, row, mail?.postIds ?? []);
  await release(deps, row, lease, ended('sent', deps.clock()));
  return undefined;
}

/**
 * Notes of which posts a mail has told its reader: first, so that a stop before the next note tells nobody
 * twice.
 */
async function noteTold(db: Kysely<Tables>, { user_id }: MailRow, postIds: readonly string[]): Promise<void> {
  if (user_id === null || postIds.length === 0) return;
  await db
    .insertInto('told_posts')
    // Of a post or an account that was deleted meanwhile nothing is noted.
    .columns(['post_id', 'user_id'])
    .expression(eb =>
      eb
        .selectFrom('posts')
        .innerJoin('users', join => join.on('users.id', '=', user_id))
        .select(['posts.id', 'users.id as user_id'])
        .where(dialectOf(db).inList(sql.ref('posts.id'), postIds)),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

/** Notes that the server knows no such address, if it is that of the account by now. */
async function noteRefusal(
  { db, clock }: MailContext,
  { user_id: userId }: MailRow,
  mail: Mail | undefined,
  error: unknown,
): Promise<void> {
  if (userId === null || mail === undefined || !(error instanceof MailRefused) || !error.isBadAddress) return;
  await noteBounce(db, clock(), { userId, address: mail.to.address, reason: error.message });
}

/** What becomes of a mail that could not be sent. Throws an error that is none about the mail. */
function unsent(row: MailRow, error: unknown, now: number): Partial<MailRow> {
  if (error instanceof NotNeeded) return ended('dropped', now, error.message);
  if (error instanceof NotYet) return { due_at: error.dueAt };
  if (!(error instanceof MailRefused)) throw error;
  const { scope, message } = error;
  const attempts = row.attempts + attemptsFor[scope];
  const isGivenUp = scope === 'recipient' || attempts >= maxAttempts || now - row.created_at > maxAgeMs;
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
function ended(state: MailState, now: number, error: string | null = null): Partial<MailRow> {
  return { state, error, data: '{}', done_at: now };
}

/** Notes what became of a mail, and releases it, unless another worker has taken it over. */
async function release(
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
