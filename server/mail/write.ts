import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { MailKind, Tables } from '../db/tables.ts';
import { createId } from '../id.ts';

type NewMail = {
  kind: MailKind;
  userId: string;
  /** What makes it the same mail; without it each is another. */
  once?: string;
  data?: MailData;
};

/** What a mail says beside what stands in the database when it is sent. */
export type MailData = { token?: string; to?: string; usernames?: string[] };

/**
 * Queues a mail to an account, in the transaction that makes it necessary: then it exists exactly when what it tells
 * has happened. One that exists already stays as it is.
 */
export async function queueMail(
  db: Kysely<Tables>,
  now: number,
  { kind, userId, once, data = {} }: NewMail,
): Promise<void> {
  const id = createId();
  await db
    .insertInto('mails')
    .values({
      id,
      once: once ?? `${kind}:${id}`,
      kind,
      user_id: userId,
      post_id: null,
      data: JSON.stringify(data),
      state: 'queued',
      due_at: now,
      lease: null,
      leased_until: null,
      created_at: now,
      done_at: null,
      error: null,
    })
    .onConflict(conflict => conflict.column('once').doNothing())
    .execute();
}

/**
 * Notes, in the transaction that publishes a post, that subscribers are to hear of it: one row, however many they are,
 * so that the author does not wait for them. A post is announced once (decisions.md 28).
 */
export async function announcePost(trx: Kysely<Tables>, postId: string, now: number): Promise<void> {
  await trx
    .insertInto('announcements')
    .values({ post_id: postId, created_at: now, expanded_at: null })
    .onConflict(conflict => conflict.column('post_id').doNothing())
    .execute();
}

/** The mails that better-auth asks for. */
export function accountMails({ db, clock }: { db: Kysely<Tables>; clock: Clock }) {
  return {
    sendReset: (userId: string, token: string) =>
      queueMail(db, clock(), { kind: 'reset', userId, data: { token } }),
    sendConfirmation: (userId: string, to: string, token: string) =>
      queueMail(db, clock(), { kind: 'confirm', userId, data: { token, to } }),
  };
}
