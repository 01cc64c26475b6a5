import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';

/**
 * Deletes all comments of an account. Those of which answers of others are left keep their place, without
 * words and author.
 */
export async function deleteComments(trx: Kysely<Tables>, userId: string): Promise<void> {
  const { forUpdate, inList } = dialectOf(trx);
  const commented = trx.selectFrom('comments').select('post_id').where('user_id', '=', userId);
  // Whoever deletes one of these comments holds its post. PostgreSQL would count that comment here once
  // more: of a row that an update has waited for it sees the new state, and of all other tables the old one.
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
  const own = trx.deleteFrom('comments').where('user_id', '=', userId);
  await own.where('parent_id', 'is not', null).execute();
  const isAnswered = sql<boolean>`exists (select 1 from comments as answers where answers.parent_id = comments.id)`;
  await trx.deleteFrom('comment_reports').where('comment_id', 'in', commentIds(trx, userId)).execute();
  await trx
    .updateTable('comments')
    .set({ is_deleted: true, content: '-', user_id: null, author_name: null, key: null, edited_at: null })
    .set({ hidden_at: null, hidden_reason: null })
    .where('user_id', '=', userId)
    .where(isAnswered)
    .execute();
  await own.execute();
  // Places that only these answers kept.
  const ids = posts.map(post => post.id);
  await trx
    .deleteFrom('comments')
    .where(inList(sql.ref('post_id'), ids))
    .where('is_deleted', '=', true)
    .where(sql<boolean>`not ${isAnswered}`)
    .execute();
}

function commentIds(trx: Kysely<Tables>, userId: string) {
  return trx.selectFrom('comments').select('id').where('user_id', '=', userId);
}
