import type { Kysely } from 'kysely';
import type { WishKind } from '../../contract/wishes.ts';
import { createId } from '../base/id.ts';
import type { MailKind, Tables } from '../db/tables.ts';
import type { NoticeDetail, NoticeKind } from './notices.ts';

export type NewMail = {
  kind: MailKind;
  /** Null for a mail to somebody without an account, and for a webhook. */
  userId: string | null;
  /** The post that it is about. */
  postId?: string;
  /** The webhook that receives it instead of a person. */
  webhookId?: string;
  /** Identifies the same mail; without it each is another. */
  once?: string;
  data?: MailData;
};

/** The content of a mail that is not in the database when it is sent. */
export type MailData = NoticeDetail & {
  token?: string;
  /** The digest that finds the link of the token. */
  linkDigest?: string;
  /** Where a link leads afterwards. */
  next?: string;
  to?: string;
  invitationId?: string;
  notice?: NoticeKind;
  /** The user name of a deleted account. */
  username?: string;
  /** Why a backup failed, why an answer by mail became no comment, or a mail no post. */
  error?: string;
  /** When the last backup was made. */
  last?: string;
  /** Whether an answer by mail became a comment all the same, without its files. */
  isAdded?: boolean;
  /** The id of the mail that it answers. */
  inReplyTo?: string;
  /** The comment that a mail is about, and the wishes that may apply to its reader, nearest first. */
  commentId?: string;
  /** The session of the notified browser. */
  sessionId?: string;
  /** The announcements of a digest: after the first moment, up to the second. */
  since?: number;
  until?: number;
  wishes?: WishKind[];
  /** Whether an approval is that of an author. */
  isAuthor?: boolean;
  /** The tags that an account was given. */
  tagIds?: readonly string[];
};

/**
 * Queues mails, in the transaction that makes them necessary, so that they exist exactly if their event has
 * happened. An existing mail stays unchanged. Only a dropped mail of a post is queued again: its reader may
 * be able to read the post now.
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
 * Mails the owner of an account about an event, in its transaction (notices.ts). `to` is another address than
 * the account's; `once` identifies the same mail, and without it each is another.
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
