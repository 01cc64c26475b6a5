import { expect, it } from 'vitest';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { openDatabase } from '../../server/db/connect.ts';
import { unguarded } from '../../server/db/transaction.ts';
import { deletePost } from '../../server/posts/write.ts';
import { deleteTag, renameTag } from '../../server/tags/write.ts';
import { uploaded } from '../support/author-files.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { holdAnswer } from '../support/hold-answer.ts';
import { saveSettings } from '../support/save-settings.ts';
import { openSite, type Person, refusal, type Site } from '../support/site.ts';

/**
 * Cached lists and pages are what the database would answer: each test asks, changes something, and asks
 * again.
 */
describeEngines(({ migrated, site, siteWithAdmin }) => {
  const titles = async (s: Site, as: Person, filtTags: string[] = []) =>
    (await s.call(as, 'getPosts', { filtTags })).posts.map(post => post.title ?? '');
  const first = async (s: Site, as: Person) => {
    const [post] = (await s.call(as, 'getPosts', {})).posts;
    if (post === undefined) throw new Error('There is no post.');
    return post;
  };
  const tagId = async (s: Site, admin: Person, name: string) => {
    const { tags } = await s.call(admin, 'getManagedTags', {});
    return tags.find(tag => tag.name === name)?.id ?? '';
  };

  /**
   * Two readers who may read the same and one who may read less, each asked once, so that their answers are
   * cached.
   */
  async function scene(s: Site) {
    const admin = await s.admin();
    const [one, other] = [await s.member(['red']), await s.member(['red'])];
    const plain = await s.member();
    const [id = ''] = await publish(s, admin, essay({ title: 'Red', tags: ['red'] }));
    const readers = [one, other, plain, null];
    const lists = async () => Promise.all(readers.map(reader => titles(s, reader)));
    expect(await lists()).toEqual([['Red'], ['Red'], [], []]);
    return { admin, one, other, plain, id, lists };
  }

  it('the cache of posts drops entries immediately with each change of a post', async () => {
    const s = await site();
    const { admin, one, id, lists } = await scene(s);
    const save = (fields: Parameters<typeof essay>[0]) =>
      s.call(admin, 'updatePost', { ...essay({ title: 'Red', tags: ['red'], ...fields }), postId: id });

    await save({ title: 'Redder' });
    expect(await lists()).toEqual([['Redder'], ['Redder'], [], []]);
    await save({ tags: [] });
    expect(await lists()).toEqual([['Red'], ['Red'], ['Red'], ['Red']]);
    await save({ tags: ['red', 'blue'] });
    expect(await lists()).toEqual([[], [], [], []]);
    await save({ tags: ['red'] });
    expect((await first(s, one)).tags).toEqual(['red']);
    await publish(s, admin, essay({ title: 'Next' }));
    expect(await lists()).toEqual([['Next', 'Red'], ['Next', 'Red'], ['Next'], ['Next']]);
    await s.call(admin, 'deletePost', { postId: id });
    expect(await lists()).toEqual([['Next'], ['Next'], ['Next'], ['Next']]);
  });

  it.each(['getPost', 'its page'])(
    'the cache of posts does not show everybody a post that was closed while a reader asked for it by %s',
    async way => {
      // One answer of the database reaches the first process late: until then the second one closes the post.
      const place = await migrated();
      const [one, two] = [await openSite(place), await openSite(place)];
      try {
        const admin = await one.admin();
        const [reader, plain] = [await one.member(['red']), await one.member()];
        const [postId = ''] = await publish(one, admin, essay({ title: 'Secret' }), essay({ title: 'Open' }));
        await one.call(reader, 'getSettings', {});
        // Whoever comes next loads the tags again.
        await publish(two, admin, essay({ title: 'Another' }));
        const late = holdAnswer(one, /from [`"]default_tags[`"]/);
        const asked =
          way === 'getPost'
            ? one.call(reader, 'getPost', { postId })
            : one.request(`/post/${postId}`, reader);
        await late.isHeld;
        const closed = essay({ title: 'Secret', content: 'closed now', tags: ['red'] });
        await two.call(admin, 'updatePost', { ...closed, postId });
        const other = one.call(null, 'getSettings', {});
        await one.deps.changes.caughtUp();
        late.goOn();
        await Promise.all([asked, other]);
        for (const who of [null, plain]) {
          expect(await refusal(one.call(who, 'getPost', { postId }))).toBe('permission-denied');
          expect(await (await one.request(`/post/${postId}`, who)).text()).not.toContain('closed now');
        }
        expect((await one.call(reader, 'getPost', { postId })).post.html).toContain('closed now');
      } finally {
        await one.close();
        await two.close();
      }
    },
  );

  /**
   * What `ask` is answered if the post gets other tags, an attachment and a comment after it was read for
   * the answer.
   */
  async function askMeanwhile(
    who: 'admin' | 'member',
    name: 'getPost' | 'getPosts' | 'listComments',
  ): Promise<unknown> {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const { url } = await uploaded(s, admin);
    const [postId = ''] = await publish(s, admin, essay());
    const late = holdAnswer(s, /like_count/);
    const asked = s.call(who === 'admin' ? admin : member, name, name === 'getPosts' ? {} : { postId });
    await late.isHeld;
    const attachments = [{ url, description: 'for the family' }];
    await s.call(admin, 'updatePost', { ...essay({ tags: ['family'], attachments }), postId });
    await s.call(admin, 'addComment', { postId, content: 'Only for the family.' });
    late.goOn();
    return await asked;
  }

  it.each(['getPosts', 'listComments'] as const)(
    '%s gives a reader nothing that came to a post when it was closed to them meanwhile',
    async name => {
      expect(JSON.stringify(await askMeanwhile('member', name))).not.toContain('for the family');
    },
  );

  it('a post that is closed while somebody asks for it is refused to a reader, and given to an admin as it is then, with its attachments', async () => {
    await expect(askMeanwhile('member', 'getPost')).rejects.toMatchObject({ code: 'permission-denied' });
    expect(await askMeanwhile('admin', 'getPost')).toMatchObject({
      post: { tags: ['family'], attachments: [{ description: 'for the family' }] },
    });
  });

  it('the cache of posts drops entries immediately with each change of a tag', async () => {
    const s = await site();
    const { admin, one, lists } = await scene(s);
    expect(await titles(s, one, ['red'])).toEqual(['Red']);

    await s.call(admin, 'setDefaultTags', { tags: ['red'] });
    expect(await lists()).toEqual([['Red'], ['Red'], ['Red'], ['Red']]);
    await s.call(admin, 'setDefaultTags', { tags: [] });
    expect(await lists()).toEqual([['Red'], ['Red'], [], []]);

    await s.call(admin, 'renameTag', { tagId: await tagId(s, admin, 'red'), name: 'crimson' });
    expect((await first(s, one)).tags).toEqual(['crimson']);
    expect(await titles(s, one, ['red'])).toEqual([]);
    expect(await titles(s, one, ['crimson'])).toEqual(['Red']);
    await s.call(admin, 'deleteTag', { tagId: await tagId(s, admin, 'crimson') });
    expect((await s.call(one, 'getTags', {})).tags).toEqual([]);
    expect((await first(s, one)).tags).toEqual(['crimson']);
  });

  it('the cache of posts drops entries immediately with each change of rights', async () => {
    const s = await site();
    const { admin, one, other, plain, lists } = await scene(s);
    await denyUser(s.deps, one.id);
    expect(await lists()).toEqual([[], ['Red'], [], []]);
    await s.call(admin, 'setApprovedTags', { userId: plain.id, tags: ['red'] });
    await s.call(admin, 'setApprovedTags', { userId: other.id, tags: [] });
    expect(await lists()).toEqual([[], [], ['Red'], []]);
    const late = await s.signUp();
    expect(await titles(s, late)).toEqual([]);
    await s.call(admin, 'approveUser', { userId: late.id, tags: ['red'] });
    expect(await titles(s, late)).toEqual(['Red']);
  });

  it('the cache of posts gives each viewer their own likes, and all the same counts', async () => {
    const s = await site();
    const { admin, one, other, id } = await scene(s);
    const seen = async () =>
      (await Promise.all([one, other].map(reader => first(s, reader)))).map(post => [
        post.isLiked,
        post.likeCount,
        post.commentCount,
      ]);
    expect(await seen()).toEqual([
      [false, 0, 0],
      [false, 0, 0],
    ]);
    // From another session of theirs: what they see is asked by their account.
    await s.call(one, 'setLike', { postId: id, liked: true });
    expect(await seen()).toEqual([
      [true, 1, 0],
      [false, 1, 0],
    ]);
    const { comment } = await s.call(other, 'addComment', { postId: id, content: 'Yes.' });
    await s.call(one, 'setLike', { postId: id, liked: false });
    expect(await seen()).toEqual([
      [false, 0, 1],
      [false, 0, 1],
    ]);
    await s.call(admin, 'deleteComment', { commentId: comment.id });
    expect((await first(s, other)).commentCount).toBe(0);
  });

  it('the cache of posts names no author any more once the account is deleted', async () => {
    const s = await site();
    const { admin, id } = await scene(s);
    await saveSettings(s, admin, { namesAuthors: 'true' });
    const one = await s.member(['red']);
    expect((await first(s, one)).authorId).toBe(admin.id);
    await s.deps.db.deleteFrom('users').where('id', '=', admin.id).execute();
    expect(await first(s, one)).toMatchObject({ id, authorId: null });
  });

  it('the cache of posts continues after the page before, and skips nothing when a post was deleted', async () => {
    const [s, admin] = await siteWithAdmin();
    const reader = await s.member();
    await publish(s, admin, ...Array.from({ length: 32 }, (_, index) => shortPost(`post ${index}`)));
    const page = async (number: number) =>
      (await s.call(reader, 'getPosts', { page: number })).posts.map(post => post.id);
    const pages = [await page(1), await page(2), await page(3), await page(4), await page(5)];
    expect(pages.map(ids => ids.length)).toEqual([10, 10, 10, 2, 0]);
    expect(new Set(pages.flat()).size).toBe(32);
    await s.call(admin, 'deletePost', { postId: pages[0]?.[0] ?? '' });
    expect(await page(2)).toEqual([...(pages[1]?.slice(1) ?? []), pages[2]?.[0]]);
  });

  it('the cache of posts holds no entry from before a change that happened meanwhile', async () => {
    const s = await site();
    const { admin, one } = await scene(s);
    const names = ['crimson', 'scarlet', 'ruby', 'cherry'];
    const id = await tagId(s, admin, 'red');
    for (const name of names) {
      const asking = Promise.all([1, 2, 3].map(() => s.call(one, 'getPosts', {})));
      await s.call(admin, 'renameTag', { tagId: id, name });
      await asking;
      expect((await first(s, one)).tags).toEqual([name]);
    }
  });

  it('a cache drops lists and pages when another process writes', async () => {
    const place = await migrated();
    const s = await openSite(place);
    const elsewhere = { ...(await openDatabase(place)), ...unguarded };
    try {
      const { one, id, admin, lists } = await scene(s);
      const page = async (as: Person) => await (await s.request('/', as)).text();
      expect(await page(one)).toContain('Red');
      const red = await tagId(s, admin, 'red');

      await renameTag({ ...elsewhere, clock: Date.now }, red, 'crimson');
      expect((await first(s, one)).tags).toEqual(['crimson']);
      await deleteTag({ ...elsewhere, clock: Date.now }, red);
      expect((await s.call(one, 'getTags', {})).tags).toEqual([]);

      await elsewhere.db
        .insertInto('likes')
        .values({ post_id: id, user_id: one.id, created_at: 1 })
        .execute();
      expect((await first(s, one)).isLiked).toBe(true);

      await elsewhere.db.insertInto('default_tags').values({ tag_id: red }).execute();
      expect(await lists()).toEqual([['Red'], ['Red'], ['Red'], ['Red']]);
      expect(await page(null)).toContain('Red');

      const asAdmin = await viewerOfUser(elsewhere.db, admin.id, new Set());
      await deletePost({ ...s.deps, db: elsewhere.db }, asAdmin, id);
      expect(await lists()).toEqual([[], [], [], []]);
      expect(await page(null)).not.toContain('>Red<');
    } finally {
      await elsewhere.close();
      await s.close();
    }
  });
});
