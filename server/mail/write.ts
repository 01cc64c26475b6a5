import type { Kysely } from 'kysely';
import type { WebhookEvent } from '../../contract/webhook-names.ts';
import { createId } from '../base/id.ts';
import type { Tables } from '../db/tables.ts';
import type { BareKind, Contents } from './contents.ts';
import type { NoticeDetail, NoticeKind } from './notices.ts';

type Addressed = {
  /** Null for somebody without an account. */
  userId: string | null;
  postId?: string;
  /** Identifies the same mail; without it each is another. */
  once?: string;
};

/** A mail with its content, or a message of an event to a webhook. */
export type NewMail =
  | { [Kind in keyof Contents]: Addressed & { kind: Kind; data: Contents[Kind] } }[keyof Contents]
  | (Addressed & { kind: BareKind })
  | (Addressed & { kind: WebhookEvent; webhookId: string });

/**
 * Queues mails, in the transaction that makes them necessary, so that they exist exactly if their event has
 * happened. An existing mail stays unchanged. Only a dropped mail of a post is queued again: its reader may
 * be able to read the post now.
 */
export async function queueMail(db: Kysely<Tables>, now: number, ...mails: NewMail[]): Promise<void> {
  if (mails.length === 0) return;
  const rows = mails.map(mail => {
    const id = createId();
    return {
      id,
      once: mail.once ?? `${mail.kind}:${id}`,
      kind: mail.kind,
      user_id: mail.userId,
      post_id: mail.postId ?? null,
      webhook_id: 'webhookId' in mail ? mail.webhookId : null,
      data: JSON.stringify('data' in mail ? mail.data : {}),
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
  notice: Exclude<NoticeKind, 'account-deleted'>,
  { to, once, ...detail }: NoticeDetail & { to?: string; once?: string } = {},
): Promise<void> {
  const data = { notice, ...detail, ...(to !== undefined && { to }) };
  await queueMail(db, now, { kind: 'notice', userId, data, ...(once !== undefined && { once }) });
}
