import { type Kysely, sql } from 'kysely';
import type { ListedPost, Post } from '../../contract/post.ts';
import { keysOfByline, keysOfPost } from '../../contract/posts.ts';
import { idsOf, type TagCatalogue, type TagSet } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import type { Counts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { Cache } from '../db/changes/cache.ts';
import type { CacheName } from '../db/changes/cache-bytes.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { SharedAnswer } from '../shared-answer.ts';
import { contentFormFor, likedBy } from './describe.ts';
import { readPost } from './read.ts';

/** Ten posts of a list, and where it continues. */
export type ListedPosts = { posts: ListedPost[]; hasNextPage: boolean; nextCursor: string | null };

export function postCaches(changes: ChangeRecord) {
  // An answer is kept with its JSON, without counts and likes.
  const sizeOf = (value: object) => 3 * charactersOf(value);
  const cacheOf = <T>(name: CacheName, size: (value: T) => number) =>
    new Cache<T>(changes, { name, sizeOf: size });
  return {
    /**
     * Parts of the timeline, ten posts each, shared by all viewers who may read the same posts: without the
     * viewer's own likes, and with counts that are replaced, because they change far more often.
     */
    lists: cacheOf<ListedPosts>('postLists', sizeOf),
    /** Single posts in the same way. */
    posts: cacheOf<{ post: Post }>('posts', sizeOf),
    counts: cacheOf<Counts>('counts', () => 100),
    /** Which posts of a list one viewer likes. */
    likes: cacheOf<ReadonlySet<string>>('likes', ids => 100 * ids.size),
    /** The years of the posts of some combinations, and their number in each year and month. */
    archives: cacheOf<readonly number[]>('archives', numbers => 8 * numbers.length),
  };
}

/** About the length of the JSON of a value. Making that of an essay would take longer than reading it. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 5;
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + 6 + charactersOf(part), 2);
}

export type PostCaches = ReturnType<typeof postCaches>;

export type CacheDeps = ReadContext & { postCaches: PostCaches };

/**
 * Like `getPost`, through the cache; the caller must have awaited `ChangeRecord.caughtUp`. Viewers who may
 * read the same combinations of tags share an entry. Query and cache key must come from the same catalogue: a
 * newer one may let this viewer read what the others of that key may not.
 */
export async function getCachedPost(
  deps: CacheDeps,
  viewer: Viewer,
  id: string,
  withContent: boolean,
): Promise<SharedAnswer<{ post: Post }>> {
  const nameBy = (catalogue: TagCatalogue) => {
    const sets = catalogue.readableSets(viewer);
    const form = contentFormFor(viewer, withContent);
    return `${id} ${form} ${nameOfReaders(viewer, sets)}`;
  };
  for (;;) {
    const name = nameBy(await deps.catalogue());
    const answer = await deps.postCaches.posts.get(name, async dependsOn => {
      dependsOn(...keysOfPost(id));
      const catalogue = await deps.catalogue();
      if (nameBy(catalogue) !== name) return undefined;
      const post = await readPost(deps, viewer, { id, withContent, catalogue });
      dependsOn(...keysOfByline(post));
      return { post };
    });
    if (answer !== undefined) {
      return new SharedAnswer(answer, await countsAndLikes(deps, viewer, [answer.post]));
    }
  }
}

/**
 * The part of a cache key that names the viewers who see the same. Admins see every draft and authors their
 * own, so their entries are separate.
 */
function nameOfReaders({ role, user }: Viewer, sets: readonly TagSet[]): string {
  if (role === 'admin') return 'admin';
  return role === 'author' ? `author ${user?.id} ${idsOf(sets)}` : idsOf(sets);
}

/** The own fields of these posts: their current counts, and whether this viewer likes them. */
export async function countsAndLikes(
  { db, postCaches }: CacheDeps,
  viewer: Viewer,
  posts: readonly ListedPost[],
): Promise<(Counts & { isLiked: boolean })[]> {
  const ids = posts.map(post => post.id);
  // A like drops the counts of one post, so the next reader of a page reads only these again.
  const counts = await postCaches.counts.getMany(
    ids,
    (id, dependsOn) => dependsOn(`counts:${id}`, `post:${id}`),
    missing => readCounts(db, missing),
  );
  const liked = await likesOf(db, postCaches, viewer, ids);
  return posts.map(({ id, likeCount, commentCount }) => ({
    // A post that was deleted meanwhile keeps the counts that it was read with.
    ...(counts.get(id) ?? { likeCount, commentCount }),
    isLiked: liked.has(id),
  }));
}

async function readCounts(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, Counts>> {
  const rows = await db
    .selectFrom('posts')
    .select(['id', 'like_count', 'comment_count'])
    .where(dialectOf(db).inList(sql.ref('id'), ids))
    .execute();
  return new Map(rows.map(row => [row.id, { likeCount: row.like_count, commentCount: row.comment_count }]));
}

async function likesOf(
  db: Kysely<Tables>,
  { likes }: PostCaches,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (viewer.user === null || ids.length === 0) return new Set();
  const userId = viewer.user.id;
  return await likes.get(`${userId} ${ids.join()}`, async dependsOn => {
    dependsOn(`likes:${userId}`);
    return await likedBy(db, viewer, ids);
  });
}
