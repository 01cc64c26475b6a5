import { sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { MailRow } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { createId } from '../id.ts';
import { expandAnnouncement } from './announce.ts';
import { NotNeeded, prepareMail } from './prepare.ts';
import { MailRefused, mailConnections } from './transport.ts';

/** A worker holds a mail for so long; when it dies, another takes over after that. Milliseconds. */
const leaseMs = 15_000;
/** A mail that was handed over and whose answer nobody heard counts as sent after this long. */
const unheardMs = 10 * 60_000;
const claimedAtOnce = 20;
const maxAttempts = 20;
const maxBackoffMs = 6 * 60 * 60_000;
/** How long a mail waits for a server that cannot be reached. */
const maxAgeMs = 3 * 24 * 60 * 60_000;

/** Thrown when another worker has the mail: it must not be sent from here. */
class Superseded extends Error {
  override readonly name = 'Superseded';
}

/**
 * One write of the queue at a time in this process. Between the commit that marks a mail as handed over and its last
 * line stands nothing: another commit in between would give a kill the time to lose the mail.
 */
let lastTurn: Promise<unknown> = Promise.resolve();
function inTurn<T>(write: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(write);
  // The next one begins when what followed from this one has reached the socket.
  lastTurn = turn.then(nextRound, nextRound);
  return turn;
}
const nextRound = () => new Promise(resolve => setImmediate(resolve));

export type Delivered = { sent: number; isServerDown: boolean; error?: string };

/**
 * Sends what is due until nothing is, the server cannot be reached, or this process is to stop. Several processes may do
 * so at once. A mail is marked as handed over after all of it has left but its last line, without which the server
 * discards it: so one whose process dies before is sent again, and one whose process dies after is not.
 */
export async function deliverDue(deps: Deps): Promise<Delivered> {
  const lease = createId();
  const delivered: Delivered = { sent: 0, isServerDown: false };
  while (!deps.stopping.aborted && (await expandAnnouncement(deps)));
  await concludeUnheard(deps);
  // A server may allow fewer connections than we would like: each that fails is one less, until none is left.
  let lanes = mailConnections;
  for (;;) {
    const mails = deps.stopping.aborted ? [] : await claim(deps, lease);
    if (mails.length === 0) return delivered;
    const stopRenewing = keepLease(
      deps,
      lease,
      mails.map(row => row.id),
    );
    const lane = async () => {
      while (!deps.stopping.aborted) {
        const row = mails.pop();
        if (row === undefined) return;
        const { isSent, error } = await deliverOne(deps, row, lease);
        if (isSent) delivered.sent += 1;
        if (error === undefined) continue;
        delivered.error = error;
        lanes -= 1;
        return;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
    stopRenewing();
    const failure = ends.find(end => end.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    for (const row of mails) await release(deps, row, lease);
    if (lanes === 0) return { ...delivered, isServerDown: true };
  }
}

/** Holds mails for as long as this process lives, however slow the server is. Returns the function that ends it. */
function keepLease({ db, clock, log }: Deps, lease: string, ids: readonly string[]): () => void {
  const timer = setInterval(() => {
    db.updateTable('mails')
      .set({ leased_until: clock() + leaseMs })
      .where(dialectOf(db).inList(sql.ref('id'), ids))
      .where('lease', '=', lease)
      .where('state', '=', 'queued')
      .execute()
      .catch((error: unknown) => log.warn({ err: error }, 'mails are not held at present'));
  }, leaseMs / 3);
  return () => clearInterval(timer);
}

/** Takes mails that are due and that no living worker holds. */
async function claim({ db, clock }: Deps, lease: string): Promise<MailRow[]> {
  const now = clock();
  return await inTransaction({ db }, async trx => {
    const due = trx
      .selectFrom('mails')
      .selectAll()
      .where('state', '=', 'queued')
      // Times that a clock set back has put out of reach are no reason to wait.
      .where(eb => eb.or([eb('due_at', '<=', now), eb('due_at', '>', now + maxBackoffMs)]))
      .where(eb =>
        eb.or([
          eb('leased_until', 'is', null),
          eb('leased_until', '<=', now),
          eb('leased_until', '>', now + leaseMs),
        ]),
      )
      .orderBy('due_at')
      .orderBy('id')
      .limit(claimedAtOnce);
    const rows = await dialectOf(trx).skipLocked(due).execute();
    if (rows.length === 0) return [];
    await trx
      .updateTable('mails')
      .set({ lease, leased_until: now + leaseMs })
      .where(
        dialectOf(trx).inList(
          sql.ref('id'),
          rows.map(row => row.id),
        ),
      )
      .execute();
    return rows;
  });
}

type Outcome = { isSent: boolean; error?: string };

async function deliverOne(deps: Deps, row: MailRow, lease: string): Promise<Outcome> {
  let isHanded = false;
  try {
    const mail = await prepareMail(deps, row);
    await deps.mail.send(mail, async end => {
      await inTurn(() => handOver(deps, row, lease, end));
      isHanded = true;
    });
    await inTurn(() => conclude(deps, row, lease, 'sent', null));
    return { isSent: true };
  } catch (error) {
    if (error instanceof Superseded) return { isSent: false };
    if (error instanceof NotNeeded) {
      await inTurn(() => conclude(deps, row, lease, 'dropped', error.message));
      return { isSent: false };
    }
    if (!(error instanceof MailRefused)) throw error;
    if (isHanded && !error.isAnswer) {
      await inTurn(() =>
        conclude(
          deps,
          row,
          lease,
          'sent',
          `The connection was lost before the server's response: ${error.message}`,
        ),
      );
      return { isSent: true };
    }
    return await inTurn(() => postpone(deps, row, lease, error));
  }
}

/** Marks a mail as handed over and ends it, which makes the server take it. */
async function handOver({ db, clock }: Deps, row: MailRow, lease: string, end: () => void): Promise<void> {
  const isOurs = await dialectOf(db).atOnce(
    db,
    writing =>
      writing
        .updateTable('mails')
        .set({ state: 'handed', leased_until: clock() + leaseMs })
        .where('id', '=', row.id)
        .where('lease', '=', lease)
        .where('state', '=', 'queued'),
    end,
  );
  if (!isOurs) throw new Superseded('Another worker has this mail.');
}

async function postpone(deps: Deps, row: MailRow, lease: string, refusal: MailRefused): Promise<Outcome> {
  const now = deps.clock();
  const isServer = refusal.scope === 'server';
  const attempts = row.attempts + (isServer ? 0 : 1);
  const isOver = refusal.scope === 'recipient' || attempts >= maxAttempts || now - row.created_at > maxAgeMs;
  if (isOver) {
    await conclude(deps, row, lease, 'failed', refusal.message);
  } else {
    const backoff = Math.min(maxBackoffMs, 60_000 * 2 ** (attempts - 1));
    await deps.db
      .updateTable('mails')
      .set({
        state: 'queued',
        attempts,
        due_at: isServer ? row.due_at : now + backoff,
        lease: null,
        leased_until: null,
        error: refusal.message,
      })
      .where('id', '=', row.id)
      .where('lease', '=', lease)
      .execute();
  }
  return { isSent: false, ...(isServer && { error: refusal.message }) };
}

/** Leaves a mail to whoever comes next. */
async function release({ db }: Deps, row: MailRow, lease: string): Promise<void> {
  await db
    .updateTable('mails')
    .set({ lease: null, leased_until: null })
    .where('id', '=', row.id)
    .where('lease', '=', lease)
    .where('state', '=', 'queued')
    .execute();
}

async function conclude(
  { db, clock }: Deps,
  row: MailRow,
  lease: string,
  state: 'sent' | 'dropped' | 'failed',
  error: string | null,
): Promise<void> {
  // Undone by a power cut, a mail that was handed over counts as sent after a while, and another is looked at again.
  await dialectOf(db).lightly(db, writing =>
    writing
      .updateTable('mails')
      .set({ state, error, data: '{}', done_at: clock(), lease: null, leased_until: null })
      .where('id', '=', row.id)
      .where('lease', '=', lease),
  );
}

async function concludeUnheard({ db, clock }: Deps): Promise<void> {
  const now = clock();
  const unheard = await db
    .selectFrom('mails')
    .select('id')
    .where('state', '=', 'handed')
    .where('leased_until', '<', now - unheardMs)
    .execute();
  if (unheard.length === 0) return;
  await db
    .updateTable('mails')
    .set({
      state: 'sent',
      data: '{}',
      done_at: now,
      lease: null,
      leased_until: null,
      error: "The mail server's response was not received.",
    })
    .where('state', '=', 'handed')
    .where('leased_until', '<', now - unheardMs)
    .execute();
}
