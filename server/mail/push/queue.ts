import type { Kysely } from 'kysely';
import type { Tables } from '../../db/tables.ts';
import { queueMail } from '../write.ts';

const queuedAtOnce = 200;

/** Queues a notification of a new post for each browser except its author's. */
export async function queuePostPushes(
  trx: Kysely<Tables>,
  now: number,
  { postId, authorId }: { postId: string; authorId: string | null },
): Promise<void> {
  const browsers = await trx.selectFrom('push_subscriptions').select(['session_id', 'user_id']).execute();
  const others = browsers.filter(({ user_id }) => user_id !== authorId);
  for (let at = 0; at < others.length; at += queuedAtOnce)
    await queuePushes(trx, now, others.slice(at, at + queuedAtOnce), { postId });
}

/** Queues a notification of an answer for each browser of the authors of the answered comments. */
export async function queueAnswerPushes(
  trx: Kysely<Tables>,
  now: number,
  { id, postId, readers }: { id: string; postId: string; readers: readonly string[] },
): Promise<void> {
  if (readers.length === 0) return;
  const browsers = await trx
    .selectFrom('push_subscriptions')
    .select(['session_id', 'user_id'])
    .where('user_id', 'in', readers)
    .execute();
  await queuePushes(trx, now, browsers, { postId, commentId: id });
}

async function queuePushes(
  trx: Kysely<Tables>,
  now: number,
  browsers: readonly { session_id: string; user_id: string }[],
  { postId, commentId }: { postId: string; commentId?: string },
): Promise<void> {
  const rows = browsers.map(({ session_id: sessionId, user_id: userId }) => ({
    kind: 'push' as const,
    userId,
    postId,
    once: `push:${commentId ?? postId}:${sessionId}`,
    data: { sessionId, ...(commentId !== undefined && { commentId }) },
  }));
  await queueMail(trx, now, ...rows);
}
