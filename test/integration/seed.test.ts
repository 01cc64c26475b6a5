import { expect, it } from 'vitest';
import { seedSite } from '../../bench/seed/seed.ts';
import { countCharacters } from '../../contract/text.ts';
import { TagCatalogue } from '../../server/access/audience.ts';
import { describeEngines } from '../support/engines.ts';
import type { Site } from '../support/site.ts';

const small = { posts: 250, members: 30, tags: 60, comments: 400, likes: 1_000, randomSeed: 7 };

async function postsOf({ deps: { db } }: Site) {
  return await db.selectFrom('posts').selectAll().orderBy('id').execute();
}

describeEngines(({ site }) => {
  it('the seed makes as much as asked for, of every kind, with counts that agree with the rows', async () => {
    const s = await site();
    const { db } = s.deps;
    expect(await seedSite(db, small)).toEqual({ likes: 1_000, comments: 400 });
    const posts = await postsOf(s);
    expect(posts).toHaveLength(250);
    const shortPosts = posts.filter(post => post.type === 'short');
    expect(shortPosts.length / posts.length).toBeCloseTo(0.6, 1);
    expect(Math.max(...shortPosts.map(post => countCharacters(post.content)))).toBeLessThanOrEqual(300);
    expect(posts.every(post => post.html !== '' && !post.html.includes('SEED'))).toBe(true);

    const likes = await db.selectFrom('likes').select('post_id').execute();
    const comments = await db.selectFrom('comments').select('post_id').execute();
    const of = (rows: { post_id: string }[]) => Map.groupBy(rows, row => row.post_id);
    const [likesOf, commentsOf] = [of(likes), of(comments)];
    for (const post of posts) {
      expect(post.like_count).toBe(likesOf.get(post.id)?.length ?? 0);
      expect(post.comment_count).toBe(commentsOf.get(post.id)?.length ?? 0);
    }
    const catalogue = await s.deps.catalogue();
    expect(catalogue).toBeInstanceOf(TagCatalogue);
    expect(catalogue.defaultTagIds.size).toBe(10);
    for (const set of catalogue.sets) {
      const published = posts.filter(post => post.tag_set_id === set.id && post.published_at !== null);
      expect(set.publishedCount).toBe(published.length);
    }
    const users = await db.selectFrom('users').select(['status']).execute();
    expect(Map.groupBy(users, user => user.status).get('approved')).toHaveLength(30);
    expect(new Set(users.map(user => user.status)).size).toBe(3);
  });

  it('the seed makes accounts that can sign in', async () => {
    const s = await site();
    await seedSite(s.deps.db, { ...small, posts: 1, comments: 0, likes: 0 });
    const viewer = await s.call(null, 'signIn', { email: 'member1@example.com', password: 'password' });
    expect(viewer).toMatchObject({ user: { username: 'member1', isApproved: true }, can: { like: true } });
  });

  it('the seed makes the same site for the same seed', async () => {
    const [first, second, other] = [await site(), await site(), await site()];
    const few = { ...small, posts: 20, members: 5, comments: 20, likes: 20 };
    await seedSite(first.deps.db, few);
    await seedSite(second.deps.db, few);
    await seedSite(other.deps.db, { ...few, randomSeed: 8 });
    const bare = async (s: Site) => (await postsOf(s)).map(({ tag_set_id, ...post }) => post);
    expect(await bare(first)).toEqual(await bare(second));
    expect(await bare(first)).not.toEqual(await bare(other));
  });

  it('the seed refuses a site that has posts, unless forced', async () => {
    const s = await site();
    const tiny = { ...small, posts: 5, members: 0, likes: 0, comments: 0 };
    await seedSite(s.deps.db, tiny);
    await expect(seedSite(s.deps.db, { ...tiny, randomSeed: 8 })).rejects.toThrow('has posts already');
    await seedSite(s.deps.db, { ...tiny, randomSeed: 8, isForced: true });
    expect(await postsOf(s)).toHaveLength(10);
  });
});
