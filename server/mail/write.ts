import type { Kysely } from 'kysely';
import type { WishKind } from '../../contract/wishes.ts';
import { createId } from '../base/id.ts';
import type { MailKind, Tables } from '../db/tables.ts';
import type { NoticeDetail, NoticeKind } from './notices.ts';

export type NewMail = {
  kind: MailKind;
  /** Null for a mail to somebody who has no account yet, and for a webhook. */
  userId: string | null;
  /** The post that it tells of. */
  postId?: string;
  /** The webhook that is told in place of somebody by mail. */
  webhookId?: string;
  /** What makes it the same mail; without it each is another. */
  once?: string;
  data?: MailData;
};

/** What a mail says beside what stands in the database when it is sent. */
export type MailData = NoticeDetail & {
  token?: string;
  /** By which the link of the token is found. */
  linkDigest?: string;
  /** Where a link leads on to. */
  next?: string;
  to?: string;
  invitationId?: string;
  notice?: NoticeKind;
  /** Why a backup failed, why an answer by mail became no comment, or a mail no post. */
  error?: string;
  /** When the last backup was made. */
  last?: string;
  /** The id of the mail that it answers. */
  inReplyTo?: string;
  /** The comment that a mail is about, and the wishes by which its reader may hear of it, nearest first. */
  commentId?: string;
  /** The session of the browser that is notified. */
  sessionId?: string;
  /** The announcements of a digest: those after the first moment, until the second. */
  since?: number;
  until?: number;
  wishes?: WishKind[];
  /** The tags that an account was given. */
  tagIds?: readonly string[];
};

/**
 * Queues mails, in the transaction that makes them necessary: then they exist exactly when what they tell
 * has happened. A mail that exists already stays as it is. Only a dropped mail of a post is queued again: its
 * reader may read the post by now.
 */
export async function queueMail(db: Kysely<Tables>, now: number, ...mails: NewMail[]): Promise<void> {
  if (mails.length === 0) return;
  const rows = mails.map(({ kind, userId, postId = null, webhookId = null, once, data = {} }) => {
    const id = createId();
    return {
      id,
      once: once ?? `${kind}:${id}`,
      kind,
      user_id: userId,
      post_id: postId,
      webhook_id: webhookId,
      data: JSON.stringify(data),
      state: 'queued' as const,
      due_at: now,
      created_at: now,
    };
  });
  await db
    .insertInto('mails')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .column('once')
        .doUpdateSet({
          state: 'queued',
          due_at: now,
          created_at: now,
          done_at: null,
          error: null,
          attempts: 0,
        })
        .where('mails.kind', '=', 'post')
        .where('mails.state', '=', 'dropped'),
    )
    .execute();
}

/**
 * Tells the owner of an account what has happened to it, in the transaction in which it does (notices.ts).
 * `to` is where else than to the account's address; `once` makes it the same mail, and another each time
 * without it.
 */
export async function queueNotice(
  db: Kysely<Tables>,
  now: number,
  userId: string,
  notice: NoticeKind,
  { to, once, ...detail }: NoticeDetail & { to?: string; once?: string } = {},
): Promise<void> {
  const data = { notice, ...detail, ...(to !== undefined && { to }) };
  await queueMail(db, now, { kind: 'notice', userId, data, ...(once !== undefined && { once }) });
}
