import { type Kysely, sql } from 'kysely';
import { isAnswered } from '../../comments/describe.ts';
import { emptied, updatePlaceholders } from '../../comments/remove.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';

/** Deletes all comments of an account. Those with answers of others become placeholders. */
export async function deleteComments(trx: Kysely<Tables>, userId: string): Promise<void> {
  const { forUpdate } = dialectOf(trx);
  const commented = trx.selectFrom('comments').select('post_id').where('user_id', '=', userId);
  // Deleting one of these comments locks its post. Without this lock PostgreSQL could count such a comment
  // twice: after waiting, an update sees the new state of its own row but the old one of other tables.
  const posts = await forUpdate(
    trx.selectFrom('posts').select('id').where('id', 'in', commented).orderBy('id'),
  ).execute();
  if (posts.length === 0) return;
  await trx
    .updateTable('posts')
    .set(eb => ({
      comment_count: eb(
        'comment_count',
        '-',
        eb
          .selectFrom('comments')
          .select(inner => inner.fn.countAll<number>().as('count'))
          .whereRef('comments.post_id', '=', 'posts.id')
          .where('comments.user_id', '=', userId)
          .where('comments.hidden_at', 'is', null),
      ),
      comments_version: eb('comments_version', '+', 1),
    }))
    .where('id', 'in', commented)
    .execute();
  const answered = await trx
    .selectFrom('comments')
    .select('parent_id')
    .distinct()
    .where('user_id', '=', userId)
    .where('parent_id', 'is not', null)
    .execute();
  const deleteOwn = trx.deleteFrom('comments').where('user_id', '=', userId);
  // Answers go first: a comment that only its writer has answered leaves no placeholder.
  await deleteOwn.where('parent_id', 'is not', null).execute();
  await trx.deleteFrom('comment_reports').where('comment_id', 'in', commentIds(trx, userId)).execute();
  await trx
    .updateTable('comments')
    .set(emptied)
    .where('user_id', '=', userId)
    .where(sql<boolean>`${isAnswered}`)
    .execute();
  // Placeholders have lost their author, so what is still theirs has no answers.
  await deleteOwn.execute();
  const parents = answered.flatMap(({ parent_id }) => parent_id ?? []);
  if (parents.length > 0) await updatePlaceholders(trx, parents);
}

function commentIds(trx: Kysely<Tables>, userId: string) {
  return trx.selectFrom('comments').select('id').where('user_id', '=', userId);
}
