import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

/** The words of the timeline, page by page, each continued after the one before. */
async function timelineOf(s: Site, as: Person): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | null = null;
  do {
    const page: { posts: { id: string }[]; nextCursor: string | null } = await s.call(as, 'getPosts', {
      after,
    });
    pages.push(page.posts.map(post => post.id));
    after = page.nextCursor;
  } while (after !== null);
  return pages;
}

describeEngines(({ site, siteWithAdmin }) => {
  it('pinned posts stand before all others, newest first among themselves, on every page and by cursor', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(s, admin, ...Array.from({ length: 23 }, (_, i) => shortPost(`Post ${i}.`)));
    const newestFirst = ids.toReversed();
    expect((await timelineOf(s, null)).flat()).toEqual(newestFirst);
    const pinned = newestFirst.filter((_, index) => index % 2 === 1);
    for (const postId of pinned) await s.call(admin, 'setPinned', { postId, isPinned: true });
    const expected = [...pinned, ...newestFirst.filter(id => !pinned.includes(id))];
    const pages = await timelineOf(s, null);
    expect(pages.map(page => page.length)).toEqual([10, 10, 3]);
    expect(pages.flat()).toEqual(expected);
    for (const [index, ofPage] of pages.entries()) {
      const { posts } = await s.call(null, 'getPosts', { page: index + 1 });
      expect(posts.map(post => post.id)).toEqual(ofPage);
      expect(posts.map(post => post.isPinned)).toEqual(ofPage.map(id => pinned.includes(id)));
    }
    // The list of older clients for admins goes by date.
    const { posts: all } = await s.call(admin, 'getPosts', { isAdmin: true });
    expect(all.map(post => [post.id, post.isPinned])).toEqual(
      newestFirst.slice(0, all.length).map(id => [id, pinned.includes(id)]),
    );
  });

  it('cached pages and answers notice that a post is pinned and unpinned', async () => {
    const [s, admin] = await siteWithAdmin();
    const [old = ''] = await publish(s, admin, shortPost('The harbour.'), shortPost('The abbey.'));
    const first = async () => {
      const page = await (await s.request('/', null)).text();
      const { posts } = await s.call(null, 'getPosts', {});
      return [page.indexOf('The harbour.') < page.indexOf('The abbey.'), posts[0]?.id === old];
    };
    expect(await first()).toEqual([false, false]);
    await s.call(admin, 'setPinned', { postId: old, isPinned: true });
    expect(await first()).toEqual([true, true]);
    expect((await s.call(null, 'getPost', { postId: old })).post.isPinned).toBe(true);
    await s.call(admin, 'setPinned', { postId: old, isPinned: false });
    expect(await first()).toEqual([false, false]);
  });

  it('a save keeps a post pinned, and pinning does not count as a save', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, shortPost('The harbour.'));
    const { version } = (await s.call(admin, 'getPost', { postId })).post;
    await s.call(admin, 'setPinned', { postId, isPinned: true });
    const { post } = await s.call(admin, 'updatePost', { ...shortPost('The quay.'), postId, version });
    expect(post.isPinned).toBe(true);
    expect((await s.call(admin, 'listPosts', {})).posts).toMatchObject([{ id: postId, isPinned: true }]);
  });

  it('a pinned post is read by those who may read it, and no one else', async () => {
    const s = await site();
    const [admin, friend] = [await s.admin(), await s.member(['friends'])];
    const [closed = '', open = ''] = await publish(
      s,
      admin,
      shortPost('The vault.', ['friends']),
      shortPost('The harbour.'),
    );
    await s.call(admin, 'setPinned', { postId: closed, isPinned: true });
    expect(await timelineOf(s, null)).toEqual([[open]]);
    expect(await timelineOf(s, friend)).toEqual([[closed, open]]);
  });

  it('an author pins posts of their own, an admin any, and a member none', async () => {
    const s = await site();
    const [admin, author, member] = [await s.admin(), await s.member([], 'mary'), await s.member([], 'lucy')];
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    const [own = ''] = await publish(s, author, shortPost('The quay.'));
    const [others = ''] = await publish(s, admin, shortPost('The harbour.'));
    const pin = (as: Person, postId: string) => s.call(as, 'setPinned', { postId, isPinned: true });
    expect(await refusal(pin(author, others))).toBe('permission-denied');
    expect(await refusal(pin(member, own))).toBe('permission-denied');
    expect(await refusal(pin(author, 'nothing'))).toBe('not-found');
    await pin(author, own);
    await pin(admin, own);
    expect(await timelineOf(s, null)).toEqual([[own, others]]);
  });

  it('the feed stays by date', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(s, admin, ...Array.from({ length: 22 }, (_, i) => shortPost(`Post ${i}.`)));
    for (const postId of ids.slice(0, 3)) await s.call(admin, 'setPinned', { postId, isPinned: true });
    const feed = await (await s.request('/feed.xml')).text();
    const listed = [...feed.matchAll(/<id>[^<]*\/post\/([^<]*)<\/id>/g)].map(match => match[1]);
    expect(listed).toEqual(ids.toReversed().slice(0, 20));
  });
});
