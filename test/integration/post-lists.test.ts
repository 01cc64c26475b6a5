import { expect, it } from 'vitest';
import { visitor } from '../../server/access/viewer.ts';
import { listTimeline } from '../../server/posts/list.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';

describeEngines(({ siteWithAdmin }) => {
  it('25. the timeline shows every post once, newest first, while posts are published and deleted', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(
      s,
      admin,
      ...Array.from({ length: 25 }, (_, index) => shortPost(`Post ${index}`)),
    );
    const seen: string[] = [];
    let after: string | null = null;
    for (;;) {
      const page: Awaited<ReturnType<typeof s.call<'getPosts'>>> = await s.call(null, 'getPosts', {
        after,
      });
      seen.push(...page.posts.map(post => post.id));
      if (seen.length === 10) {
        await publish(s, admin, shortPost('Meanwhile'));
        await s.call(admin, 'deletePost', { postId: ids[24] ?? '' });
      }
      after = page.nextCursor;
      if (after === null) break;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  it('posts can be paged by number', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(
      s,
      admin,
      ...Array.from({ length: 12 }, (_, index) => shortPost(`Post ${index}`)),
    );
    const [first, second] = [
      await s.call(null, 'getPosts', { page: 1 }),
      await s.call(null, 'getPosts', { page: 2 }),
    ];
    expect([...first.posts, ...second.posts].map(post => post.id)).toEqual(ids.toReversed());
    expect([first.hasNextPage, second.hasNextPage]).toEqual([true, false]);
    expect((await s.call(null, 'getPosts', { page: 9_999 })).posts).toEqual([]);
  });

  it('the timeline reads no posts for a page beyond the last', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, ...Array.from({ length: 11 }, (_, index) => shortPost(`Post ${index}`)));
    await publish(s, admin, shortPost('Not for all', ['family']));
    const db = new Proxy(s.deps.db, {
      get: () => {
        throw new Error('The database was asked.');
      },
    });
    const everybody = visitor((await s.deps.catalogue()).defaultTagIds);
    const page = async (number: number) =>
      (await listTimeline({ ...s.deps, db }, everybody, { page: number })).shared;
    expect(await page(1_000_000)).toMatchObject({ posts: [], hasNextPage: false, nextCursor: null });
    expect((await page(3)).posts).toEqual([]);
    await expect(page(2)).rejects.toThrow('was asked');
  });

  it('the timeline filters by any of the tags, in any spelling', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.setDefaultTags(['Rivers', 'Hills', 'Sea']);
    await publish(
      s,
      admin,
      shortPost('r', ['rivers']),
      shortPost('h', ['HILLS ']),
      shortPost('s', ['sea']),
      shortPost('-'),
    );
    const contents = async (filtTags: string[] | null) =>
      (await s.call(null, 'getPosts', { filtTags })).posts.map(post => post.type === 'short' && post.content);
    expect(await contents(['rivers', 'hills'])).toEqual(['h', 'r']);
    expect(await contents(['nothing'])).toEqual([]);
    expect(await contents([])).toHaveLength(4);
    expect(await contents(null)).toHaveLength(4);
    expect((await s.call(null, 'getTags', {})).tags.map(tag => [tag.name, tag.postCount])).toEqual([
      ['Hills', 1],
      ['Rivers', 1],
      ['Sea', 1],
    ]);
  });
});
