import type { Kysely } from 'kysely';
import type { WishKind } from '../../../contract/wishes.ts';
import type { Tables } from '../../db/tables.ts';
import { queueAnswerPushes } from '../push/queue.ts';
import { queueMail } from '../write.ts';

type NewComment = {
  id: string;
  postId: string;
  userId: string;
  /** The comment that it answers, and the first comment of the thread. */
  answered: readonly string[];
};

/**
 * Queues the mails about a new comment, in the transaction that adds it. Recipients are decided when it is
 * sent: each person gets at most one, for the nearest reason that they then want to be mailed for.
 */
export async function queueCommentMails(
  trx: Kysely<Tables>,
  now: number,
  { id, postId, userId, answered }: NewComment,
): Promise<void> {
  const reasons = new Map<string, WishKind[]>();
  const add = (people: readonly { user_id: string | null }[], kind: WishKind) => {
    for (const { user_id } of people)
      if (user_id !== null && user_id !== userId)
        reasons.set(user_id, [...(reasons.get(user_id) ?? []), kind]);
  };
  if (answered.length > 0) {
    const writers = trx
      .selectFrom('comments')
      .select('user_id')
      .where('id', 'in', [...answered]);
    add(await writers.execute(), 'answers');
  }
  const author = trx.selectFrom('posts').select('author_id as user_id').where('id', '=', postId);
  add(await author.execute(), 'own-posts');
  const followers = trx
    .selectFrom('mail_wishes')
    .select('mail_wishes.user_id')
    .where('kind', '=', 'followed')
    .where('is_on', '=', true)
    .where(eb =>
      eb.exists(
        eb
          .selectFrom('comments')
          .select('comments.id')
          .where('comments.post_id', '=', postId)
          .whereRef('comments.user_id', '=', 'mail_wishes.user_id'),
      ),
    );
  add(await followers.execute(), 'followed');
  const answering = [...reasons].flatMap(([reader, wishes]) => (wishes.includes('answers') ? [reader] : []));
  await queueAnswerPushes(trx, now, { id, postId, readers: answering });
  await queueMail(
    trx,
    now,
    ...[...reasons].map(([reader, wishes]) => ({
      kind: 'comment' as const,
      userId: reader,
      postId,
      once: `comment:${id}:${reader}`,
      data: { commentId: id, wishes },
    })),
  );
}
