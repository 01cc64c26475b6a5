import type { ReadContext } from '../access/context.ts';
import { publishedPosts } from '../access/posts.ts';
import { currentVisitor } from '../access/viewer.ts';
import type { DependsOn } from '../db/changes/cache.ts';

/** sitemaps.org allows 50,000 addresses in a file; writing so many at once would hold up others. */
const postsPerFile = 10_000;

export type MappedPost = { id: string; changedAt: number };

/** The number of files for the posts that are open to all. */
export async function countSitemaps(deps: ReadContext, perFile = postsPerFile): Promise<number> {
  const { viewer } = await currentVisitor(deps);
  const readable = (await deps.catalogue()).readableSets(viewer);
  const posts = readable.reduce((sum, set) => sum + set.publishedCount, 0);
  return Math.ceil(posts / perFile);
}

/**
 * The posts of one of these files, from 1, oldest first: a new post changes only the last one. Only posts
 * that are open to all.
 */
export async function listSitemap(
  deps: ReadContext,
  file: number,
  dependsOn: DependsOn,
  perFile = postsPerFile,
): Promise<MappedPost[]> {
  dependsOn('timeline', 'tags');
  const { viewer } = await currentVisitor(deps);
  const rows = await (await publishedPosts(deps, viewer))
    .select(['posts.id', 'posts.published_at', 'posts.updated_at'])
    .orderBy('posts.published_at')
    .orderBy('posts.id')
    .limit(perFile)
    .offset((file - 1) * perFile)
    .execute();
  return rows.map(({ id, published_at, updated_at }) => ({
    id,
    changedAt: Math.max(published_at ?? 0, updated_at ?? 0),
  }));
}
