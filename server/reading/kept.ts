import { sql } from 'kysely';
import type { Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { readablePosts } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';

/**
 * Which of these posts the viewer may still read, for a browser that keeps them
 * (web/brand/offline-worker.js).
 */
export async function getKeptPosts(
  { db, catalogue }: ReadContext,
  viewer: Viewer,
  postIds: readonly string[],
): Promise<Output<'getKeptPosts'>> {
  const posts = await readablePosts(db, await catalogue(), viewer)
    .select(['posts.id as postId', 'posts.version'])
    .where('posts.published_at', 'is not', null)
    .where(dialectOf(db).inList(sql.ref('posts.id'), postIds))
    .orderBy('posts.id')
    .execute();
  return { userId: accountOf(viewer).id, posts };
}
