import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { TagCatalogue } from '../access/audience.ts';
import { dialectOf } from '../db/dialect.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import { indexLater } from '../search/index-posts.ts';
import { changePublishedCount, ensureTagSet } from '../tags/write.ts';

export type TaggedPost = Pick<PostRow, 'id' | 'tag_set_id' | 'published_at'>;

/** The posts and drafts that meet a condition; within a transaction locked, in the order of their ids. */
export async function taggedPosts(db: Kysely<Tables>, condition: Expression<SqlBool>): Promise<TaggedPost[]> {
  const posts = db.selectFrom('posts').select(['id', 'tag_set_id', 'published_at']).where(condition);
  const query = posts.orderBy('id');
  return await (db.isTransaction ? dialectOf(db).forUpdate(query) : query).execute();
}

/**
 * Gives locked posts other tags. A search asks these at once, and finds posts by the names of them a little
 * later. A save that was begun before is refused by the version. `after` says what becomes of the tags of a
 * combination.
 */
export async function movePosts(
  trx: Kysely<Tables>,
  catalogue: TagCatalogue,
  posts: readonly TaggedPost[],
  after: (tagIds: readonly string[]) => readonly string[],
): Promise<void> {
  const differences = new Map<number, number>();
  for (const [from, moved] of Map.groupBy(posts, post => post.tag_set_id)) {
    const to = await ensureTagSet(trx, after(catalogue.tagIdsIn(from)));
    const ids = moved.map(({ id }) => id);
    await trx
      .updateTable('posts')
      .set(eb => ({ tag_set_id: to, version: eb('version', '+', 1) }))
      .where(dialectOf(trx).inList(sql.ref('id'), ids))
      .execute();
    await dialectOf(trx).postSearch.move(trx, ids, to);
    const published = moved.filter(post => post.published_at !== null).length;
    differences.set(from, (differences.get(from) ?? 0) - published);
    differences.set(to, (differences.get(to) ?? 0) + published);
  }
  // In the order of their ids, so that no two transactions deadlock.
  for (const [id, difference] of [...differences].sort(([a], [b]) => a - b))
    await changePublishedCount(trx, id, difference);
  await indexLater(
    trx,
    posts.map(({ id }) => id),
  );
}
