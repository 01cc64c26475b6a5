import { type Kysely, sql } from 'kysely';
import { createId } from '../base/id.ts';
import { dialectOf } from '../db/dialect.ts';
import type { MailRow, Tables } from '../db/tables.ts';
import { expandAnnouncements } from './announce.ts';
import { noteBounce } from './bounces.ts';
import type { Mail } from './compose.ts';
import type { MailContext } from './context.ts';
import { prepareMail } from './prepare.ts';
import { attemptsFor, claim, claimedAtOnce, ended, release, unsent, workOn } from './queue.ts';
import { MailRefused, mailConnections } from './transport.ts';

/** `isTooFast`: the server asks for fewer mails at a time, or fewer connections. */
export type Delivered = { sent: number; isServerDown: boolean; isTooFast?: true; error?: string };

/**
 * Sends due mails until none is left, `most` are sent, the server is unavailable, or the process is stopping.
 * It begins with this many `connections`. Several processes may do so at once. A mail is claimed before it is
 * sent and recorded as sent after the server's answer: if its process dies in between, it is sent again, with
 * the same Message-ID; no other mail is sent twice.
 */
export async function deliverDue(
  deps: MailContext,
  connections = mailConnections,
  most = Number.POSITIVE_INFINITY,
): Promise<Delivered> {
  const lease = createId();
  const delivered: Delivered = { sent: 0, isServerDown: false };
  await expandAnnouncements(deps);
  // A server may allow fewer connections than we open: each failed one reduces them, until none is left.
  let workers = connections;
  let mostWorkers = mailConnections;
  for (;;) {
    const atOnce = Math.min(claimedAtOnce, most - delivered.sent);
    const mails =
      deps.stopping.aborted || atOnce < 1 ? [] : await claim(deps, { lease, lane: 'mail', most: atOnce });
    if (mails.length === 0) return delivered;
    const take = async (row: MailRow) => {
      const refusal = await deliverOne(deps, row, lease, delivered);
      if (refusal === undefined) return true;
      delivered.error = refusal.message;
      // After sending too fast it stops at once; a refused connection leaves the others.
      workers = refusal.scope === 'pace' ? 0 : Math.max(0, workers - 1);
      mostWorkers = workers;
      if (workers === 0 && refusal.scope !== 'server') delivered.isTooFast = true;
      return false;
    };
    await workOn(deps, { lease, mails, workers, goesOn: () => workers > 0, take });
    if (workers === 0) return { ...delivered, isServerDown: true };
    workers = Math.min(mostWorkers, workers * 2);
  }
}

/**
 * Sends a mail, records the result, and counts it in `delivered` if it was sent. Returns the refusal of a
 * server that accepts none at present.
 */
async function deliverOne(
  deps: MailContext,
  row: MailRow,
  lease: string,
  delivered: Delivered,
): Promise<MailRefused | undefined> {
  let mail: Mail | undefined;
  try {
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
 * Records the posts that a mail has told its reader about: first, so that a stop before the next step tells
 * nobody twice.
 */
async function noteTold(db: Kysely<Tables>, { user_id }: MailRow, postIds: readonly string[]): Promise<void> {
  if (user_id === null || postIds.length === 0) return;
  await db
    .insertInto('told_posts')
    // Nothing is recorded about a post or an account that was deleted meanwhile.
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

/** Records that the server has no such mailbox, if the address is still the account's. */
async function noteRefusal(
  { db, clock }: MailContext,
  { user_id: userId }: MailRow,
  mail: Mail | undefined,
  error: unknown,
): Promise<void> {
  if (userId === null || mail === undefined || !(error instanceof MailRefused) || !error.isBadAddress) return;
  await noteBounce(db, clock(), { userId, address: mail.to.address, reason: error.message });
}
