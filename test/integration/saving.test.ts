import { expect, it } from 'vitest';
import { uploaded } from '../support/author-files.ts';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';
import { type Person, refusal } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin }) => {
  it('71. the site makes one post of a save that is repeated, immediately and later', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const input = { ...essay({ tags: ['b', 'A'] }), saveKey: 'key-of-an-editor' };
    const answers = await Promise.all([1, 2, 3].map(() => s.call(admin, 'createPost', input)));
    s.wait(60_000);
    const again = await s.call(admin, 'createPost', input);
    expect(new Set([...answers, again].map(({ post }) => post.id)).size).toBe(1);
    expect(again.post).toMatchObject({ version: 1, updatedAt: null });
    // The answer was lost, and the author wrote on.
    const more = await s.call(admin, 'createPost', { ...input, content: 'And more.' });
    expect(more.post).toMatchObject({ id: again.post.id, version: 2, content: 'And more.' });
    expect(await refusal(s.call(admin, 'createPost', { ...input, content: 'Other.' }))).toBe('aborted');
    expect(await refusal(s.call(other, 'createPost', input))).toBe('already-exists');
    expect((await s.call(admin, 'listPosts', {})).posts).toHaveLength(1);
    expect((await s.deps.catalogue()).publishedCount).toBe(1);
    // Whichever field it was that changed, and that alone.
    const [file, poster] = [await uploaded(s, admin), await uploaded(s, admin)];
    const changes = {
      title: 'Other',
      description: 'Other',
      content: 'Other',
      tags: ['b'],
      isDraft: false,
      attachments: [{ url: file.url, description: null, thumbnail: poster.url }],
      'attachments-alt': [{ url: file.url, description: null, alt: 'Other' }],
    };
    for (const [field, value] of Object.entries(changes)) {
      const first = {
        ...essay({ tags: [] }),
        isDraft: true,
        attachments: [{ url: file.url, description: null }],
        saveKey: `key-of-${field}`,
      };
      const changed = { ...first, [field.split('-')[0] ?? '']: value };
      await s.call(admin, 'createPost', first);
      for (const _ of ['sent', 'sent again']) {
        const { post } = await s.call(admin, 'createPost', changed);
        expect([field, post.version]).toEqual([field, 2]);
      }
    }
  });

  it('the site leaves the tags as they are by now when a new post is sent once more', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const author = await s.member(['family']);
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    const listed = async () => (await s.call(admin, 'getManagedTags', {})).tags.map(({ name }) => name);
    const saves = [
      { by: admin, input: { ...essay({ tags: ['news'] }), saveKey: 'key-of-an-admin' } },
      { by: author, input: { ...essay({ tags: ['family'] }), saveKey: 'key-of-an-author' } },
    ];
    for (const { by, input } of saves) await s.call(by, 'createPost', input);
    const { tags } = await s.call(admin, 'getManagedTags', {});
    for (const { id } of tags) await s.call(admin, 'deleteTag', { tagId: id });
    for (const { by, input } of saves) {
      const { post } = await s.call(by, 'createPost', input);
      expect([post.version, post.tags]).toEqual([1, input.tags]);
    }
    expect(await listed()).toEqual([]);
    const used = { ...essay({ tags: ['new'] }), saveKey: 'key-of-an-admin' };
    expect(await refusal(s.call(other, 'createPost', used))).toBe('already-exists');
    expect(await listed()).toEqual([]);
  });

  it('the site answers each of several simultaneous saves with its own text and version', async () => {
    const [s, admin] = await siteWithAdmin();
    const { post } = await s.call(admin, 'createPost', essay());
    const titles = Array.from({ length: 12 }, (_, index) => `Title ${index}`);
    const save = (title: string) => s.call(admin, 'updatePost', { ...essay({ title }), postId: post.id });
    const answers = await Promise.all(titles.map(save));
    expect(answers.map(answer => answer.post.title)).toEqual(titles);
    // With the version of another, the next save would overwrite theirs without a word.
    const versions = answers.map(answer => answer.post.version).sort((a, b) => a - b);
    expect(versions).toEqual(titles.map((_, index) => index + 2));
  });

  it('the site answers everybody who sets the default tags at the same moment with those that they have set', async () => {
    const [s, admin] = await siteWithAdmin();
    const names = Array.from({ length: 8 }, (_, index) => `tag${index}`);
    await s.call(admin, 'createPost', essay({ tags: names }));
    const answers = await Promise.all(names.map(name => s.call(admin, 'setDefaultTags', { tags: [name] })));
    expect(answers.map(({ tags }) => tags)).toEqual(names.map(name => [name]));
  });

  it('a save reports the version that is newer', async () => {
    const s = await site();
    const [one, two] = [await s.admin(), await s.admin()];
    const { post } = await s.call(one, 'createPost', essay());
    const save = (as: Person, title: string) =>
      s.call(as, 'updatePost', { ...essay({ title }), postId: post.id, version: 1 });
    const results = await Promise.allSettled([save(one, 'Mine'), save(two, 'Yours')]);
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1);
    const failed = results.find(result => result.status === 'rejected');
    expect(failed?.reason).toMatchObject({ code: 'aborted', details: { version: 2, postId: post.id } });
  });

  it('63. a save never opens a post to more readers when its tag is deleted meanwhile', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const { post } = await s.call(admin, 'createPost', essay({ tags: ['secret'] }));
    await Promise.all([
      s.call(admin, 'updatePost', {
        ...essay({ title: 'New', tags: ['secret'] }),
        postId: post.id,
        version: 1,
      }),
      s.deps.db.updateTable('tags').set({ is_listed: false }).where('key', '=', 'secret').execute(),
    ]);
    expect(await refusal(s.call(member, 'getPost', { postId: post.id }))).toBe('permission-denied');
    expect((await s.call(admin, 'getPost', { postId: post.id })).post.tags).toEqual(['secret']);
  });
});
