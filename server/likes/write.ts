import type { ReadContext } from '../access/context.ts';
import { lockReadable, readingIn } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';

/**
 * Likes a post or removes the like; safe to repeat. The count follows the row in the same transaction
 * (decision 10). Returns the count. Throws not-found or permission-denied as reading the post does.
 */
export async function setLike(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  postId: string,
  liked: boolean,
): Promise<number> {
  const userId = accountOf(viewer).id;
  const within = await readingIn(context);
  return await inTransaction(context, async trx => {
    await lockReadable(within(trx), viewer, postId);
    const changed = liked
      ? await trx
          .insertInto('likes')
          .values({ post_id: postId, user_id: userId, created_at: context.clock() })
          .onConflict(conflict => conflict.columns(['post_id', 'user_id']).doNothing())
          .executeTakeFirst()
      : await trx
          .deleteFrom('likes')
          .where('post_id', '=', postId)
          .where('user_id', '=', userId)
          .executeTakeFirst();
    const rows =
      'numDeletedRows' in changed ? -changed.numDeletedRows : (changed.numInsertedOrUpdatedRows ?? 0n);
    // An update without a changed count would be recorded as a change of the post.
    const counted =
      rows === 0n
        ? trx.selectFrom('posts').select('like_count').where('id', '=', postId)
        : trx
            .updateTable('posts')
            .set(eb => ({ like_count: eb('like_count', '+', Number(rows)) }))
            .where('id', '=', postId)
            .returning('like_count');
    return (await counted.executeTakeFirstOrThrow()).like_count;
  });
}
