import { expect, it } from 'vitest';
import { contentMaxCharacters } from '../../contract/constants.ts';
import { loadTagCatalogue } from '../../server/access/audience.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import { sweepTagSets } from '../../server/tags/sweep.ts';
import { ensureTagSet } from '../../server/tags/write.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

async function listed(s: Site, admin: Person): Promise<string[]> {
  return (await s.call(admin, 'getManagedTags', {})).tags.map(tag => tag.name);
}

/** Does something between the next transaction of the site and what its request does after it. */
function afterNextTransaction({ deps: { db } }: Site, act: () => Promise<unknown>): void {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    db.transaction = begin;
    const transaction = begin();
    const execute = transaction.execute.bind(transaction);
    transaction.execute = async run => {
      const result = await execute(run);
      await act();
      return result;
    };
    return transaction;
  };
}

describeEngines(({ site, siteWithAdmin }) => {
  it('tags are listed by name with the numbers of posts and members', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.setDefaultTags(['news']);
    await s.member(['friends', 'news']);
    await s.member(['friends']);
    await publish(s, admin, shortPost('one', ['friends']), shortPost('two', ['friends', 'news']));
    await s.call(admin, 'createPost', { type: 'short', content: 'draft', tags: ['friends'], isDraft: true });
    await s.call(admin, 'addTag', { name: '  Bare   tag ' });
    const common = { id: expect.any(String) };
    expect((await s.call(admin, 'getManagedTags', {})).tags).toEqual([
      { ...common, name: 'Bare tag', publishedCount: 0, draftCount: 0, userCount: 0, isDefault: false },
      { ...common, name: 'friends', publishedCount: 2, draftCount: 1, userCount: 2, isDefault: false },
      { ...common, name: 'news', publishedCount: 1, draftCount: 0, userCount: 1, isDefault: true },
    ]);
    expect((await s.call(null, 'getTags', {})).tags).toEqual([]);
  });

  it('a combination of tags is deleted once no post has it, and not while a post is saved with it', async () => {
    const [s, admin] = await siteWithAdmin();
    const { db } = s.deps;
    const combinations = async () =>
      (await db.selectFrom('tag_sets').select('id').orderBy('id').execute()).map(({ id }) => id);
    const { post } = await s.call(admin, 'createPost', { ...shortPost('draft', ['one']), isDraft: true });
    await publish(s, admin, shortPost('published', ['one', 'two']));
    for (const tags of [['two'], ['one']])
      await s.call(admin, 'updatePost', { postId: post.id, ...shortPost('draft', tags), isDraft: true });
    const [ofDraft = 0, ofPublished, unused = 0, ...more] = await combinations();
    expect([unused > 0, more]).toEqual([true, []]);

    let swept: Promise<void> | undefined;
    await db.transaction().execute(async trx => {
      const [two] = await trx.selectFrom('tags').select('id').where('name', '=', 'two').execute();
      const taken = await ensureTagSet(trx, [two?.id ?? '']);
      expect(taken).toBe(unused);
      swept = sweepTagSets(s.deps);
      // On SQLite it waits for this transaction.
      if (dialectOf(db).engine === 'postgres') await swept;
      await trx.updateTable('posts').set({ tag_set_id: taken }).where('id', '=', post.id).execute();
    });
    await swept;
    await sweepTagSets(s.deps);
    expect(await combinations()).toEqual([ofPublished, unused]);
    expect((await s.call(admin, 'getPost', { postId: post.id })).post.tags).toEqual(['two']);
    // Its id is not used again.
    await s.call(admin, 'updatePost', { postId: post.id, ...shortPost('draft', ['one']), isDraft: true });
    expect((await combinations()).at(-1)).toBeGreaterThan(unused);
    expect(await combinations()).not.toContain(ofDraft);
  });

  it('a combination that is deleted while the tags are read is open to nobody', async () => {
    const s = await site();
    const { id } = await s.deps.db
      .insertInto('tag_sets')
      .values({ key: 'a tag whose row is gone' })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await loadTagCatalogue(s.deps.db)).has(id)).toBe(false);
  });

  it('26. tags are the same tag in any case, also after being deleted and added again', async () => {
    const [s, admin] = await siteWithAdmin();
    const friend = await s.member(['Friends']);
    const [id = ''] = await publish(s, admin, shortPost('for friends', ['friends']));
    // It names the tag that is there, which the admin looks for in the list.
    await expect(s.call(admin, 'addTag', { name: 'FRIENDS' })).rejects.toMatchObject({
      code: 'already-exists',
      message: 'There is already a tag called “Friends”.',
    });
    const [tag] = (await s.call(admin, 'getManagedTags', {})).tags;
    await s.call(admin, 'deleteTag', { tagId: tag?.id ?? '' });
    expect(await listed(s, admin)).toEqual([]);
    expect(await refusal(s.call(admin, 'deleteTag', { tagId: tag?.id ?? '' }))).toBe('not-found');
    // Nothing has become wider or narrower.
    expect((await s.call(friend, 'getPost', { postId: id })).post.tags).toEqual(['Friends']);
    expect(await refusal(s.call(null, 'getPost', { postId: id }))).toBe('permission-denied');
    expect((await s.call(admin, 'getUsers', { list: 'approved' })).users[0]?.approvedTags).toEqual([
      'Friends',
    ]);
    const results = await Promise.allSettled([
      s.call(admin, 'addTag', { name: 'friends' }),
      s.call(admin, 'addTag', { name: 'friends' }),
    ]);
    expect(results.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    const restored = results.find(result => result.status === 'fulfilled');
    expect(restored?.value).toEqual({
      tag: { id: tag?.id, name: 'Friends', publishedCount: 1, draftCount: 0, userCount: 1, isDefault: false },
      isRestored: true,
    });
  });

  it('26. tags are renamed everywhere, and nobody gains or loses a post', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.setDefaultTags(['news']);
    const friend = await s.member(['friends']);
    const [secret = '', open = ''] = await publish(
      s,
      admin,
      shortPost('for friends', ['friends']),
      shortPost('for all', ['news']),
    );
    const tagIdOf = async (name: string) =>
      (await s.call(admin, 'getManagedTags', {})).tags.find(tag => tag.name === name)?.id ?? '';
    await s.call(admin, 'renameTag', { tagId: await tagIdOf('friends'), name: 'Close Friends' });
    await s.call(admin, 'renameTag', { tagId: await tagIdOf('news'), name: 'NEWS' });
    expect((await s.call(friend, 'getPost', { postId: secret })).post.tags).toEqual(['Close Friends']);
    expect((await s.call(null, 'getPost', { postId: open })).post.tags).toEqual(['NEWS']);
    expect(await refusal(s.call(null, 'getPost', { postId: secret }))).toBe('permission-denied');
    expect((await s.call(friend, 'getPosts', { filtTags: ['close friends'] })).posts).toHaveLength(1);
    expect((await s.call(admin, 'getDefaultTags', {})).tags).toEqual(['NEWS']);

    const tagId = await tagIdOf('NEWS');
    expect(await refusal(s.call(admin, 'renameTag', { tagId, name: 'close FRIENDS' }))).toBe(
      'already-exists',
    );
    await s.call(admin, 'deleteTag', { tagId: await tagIdOf('Close Friends') });
    // Not even a deleted one: it still decides who reads.
    expect(await refusal(s.call(admin, 'renameTag', { tagId, name: 'close friends' }))).toBe(
      'already-exists',
    );
    expect(await refusal(s.call(admin, 'renameTag', { tagId: 'nothing', name: 'x' }))).toBe('not-found');
  });

  it('when two tags are renamed to one name at once, one of them gets it', async () => {
    const [s, admin] = await siteWithAdmin();
    const one = (await s.call(admin, 'addTag', { name: 'one' })).tag.id;
    const two = (await s.call(admin, 'addTag', { name: 'two' })).tag.id;
    const results = await Promise.allSettled([
      s.call(admin, 'renameTag', { tagId: one, name: 'same' }),
      s.call(admin, 'renameTag', { tagId: two, name: 'Same' }),
      s.call(admin, 'addTag', { name: 'SAME' }),
    ]);
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'already-exists' });
    }
  });

  it('63. when a tag is deleted while a post is saved with it, the post stays as closed as before', async () => {
    const [s, admin] = await siteWithAdmin();
    const tagId = (await s.call(admin, 'addTag', { name: 'friends' })).tag.id;
    for (let round = 0; round < 10; round += 1) {
      const [saved] = await Promise.all([
        s.call(admin, 'createPost', { type: 'short', content: 'x', tags: ['friends'], isDraft: false }),
        s.call(admin, 'deleteTag', { tagId }),
      ]);
      expect(saved.post.tags).toEqual(['friends']);
      expect(await refusal(s.call(null, 'getPost', { postId: saved.post.id }))).toBe('permission-denied');
      if (!(await listed(s, admin)).includes('friends')) await s.call(admin, 'addTag', { name: 'friends' });
    }
  });

  it.each(['', '   ', 'a'.repeat(51), 'a\u0000b', 'a\u202eb'])(
    'the list of tags refuses the name %j',
    async name => {
      const [s, admin] = await siteWithAdmin();
      expect(await refusal(s.call(admin, 'addTag', { name }))).toBe('invalid-argument');
    },
  );

  it('tags are answered as they were added or renamed, whatever somebody else does right after it', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    afterNextTransaction(s, async () => {
      const [tag] = (await s.call(other, 'getManagedTags', {})).tags;
      await s.call(other, 'renameTag', { tagId: tag?.id ?? '', name: 'family' });
    });
    const { tag } = await s.call(admin, 'addTag', { name: 'friends' });
    expect(tag.name).toBe('friends');
    expect(await listed(s, admin)).toEqual(['family']);
    afterNextTransaction(s, () => s.call(other, 'deleteTag', { tagId: tag.id }));
    const renamed = await s.call(admin, 'renameTag', { tagId: tag.id, name: 'relatives' });
    expect(renamed.tag).toEqual({ ...tag, name: 'relatives' });
    expect(await listed(s, admin)).toEqual([]);
  });

  it.each(['__proto__', 'toString', 'constructor', "'; drop table tags; --", '%', '日本', 'क्षि'.repeat(50)])(
    '23. the list of tags takes the name %j',
    async name => {
      const [s, admin] = await siteWithAdmin();
      await s.call(admin, 'addTag', { name });
      const [id = ''] = await publish(s, admin, shortPost('open', [name]));
      expect((await s.call(await s.member([name]), 'getPost', { postId: id })).post.tags).toEqual([name]);
      expect(await refusal(s.call(null, 'getPost', { postId: id }))).toBe('permission-denied');
      await s.call(admin, 'setDefaultTags', { tags: [name] });
      expect((await s.call(null, 'getPost', { postId: id })).post.tags).toEqual([name]);
    },
  );
});

describeEngines(({ siteWithAdmin }) => {
  it('the About text is rendered when saved, and everybody may read it', async () => {
    const [s, admin] = await siteWithAdmin();
    expect((await s.call(null, 'getSettings', {})).about).toEqual({ content: '', html: '', excerpt: '' });
    const content = 'I *write*.\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))';
    const { about } = await s.call(admin, 'saveAbout', { content });
    expect(about.content).toBe(content);
    expect(about.html).toContain('<em>write</em>');
    expect(about.html).not.toMatch(/<script|href="javascript/);
    const { version: _, ...shown } = about;
    const readable = { ...shown, content: 'I *write*.\n\nx\n' };
    expect((await s.call(null, 'getSettings', {})).about).toEqual(readable);
    expect(await (await s.request('/')).text()).toContain('<em>write</em>');
    await s.call(admin, 'saveAbout', { content: '' });
    expect((await s.call(null, 'getSettings', {})).about).toEqual({ content: '', html: '', excerpt: '' });
    for (const bad of ['a\u0000b', '\ud800', 'x'.repeat(contentMaxCharacters + 1)]) {
      expect(await refusal(s.call(admin, 'saveAbout', { content: bad }))).toBe('invalid-argument');
    }
  });

  it('the About text is not replaced by somebody who has not seen the last change', async () => {
    const [s, admin] = await siteWithAdmin();
    const save = (content: string, version: string | undefined) =>
      s.call(admin, 'saveAbout', { content, version });
    const aboutNow = async () => (await s.call(admin, 'getSettings', {})).about;
    const { version: empty } = await aboutNow();
    const { about } = await s.call(admin, 'saveAbout', { content: 'Mine.' });
    expect(await refusal(save('Theirs.', empty))).toBe('aborted');
    expect(await aboutNow()).toEqual(about);
    // A save whose answer was lost is repeated.
    expect((await save('Mine.', empty)).about).toEqual(about);
    for (let round = 0; round < 5; round += 1) {
      const { version } = await aboutNow();
      const results = await Promise.allSettled([
        save(`one ${round}`, version),
        save(`two ${round}`, version),
      ]);
      expect(results.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected']);
      const saved = results.flatMap(result => (result.status === 'fulfilled' ? [result.value.about] : []));
      expect(await aboutNow()).toEqual(saved[0]);
    }
  });
});
