import { MarkdownParser } from '@lezer/markdown';
import { expect, it, vi } from 'vitest';
import { formatDate } from '../../contract/date.ts';
import { initialSettings } from '../../contract/site-settings.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { refusal } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin }) => {
  it('the site publishes an essay that a visitor can read immediately', async () => {
    const [s, admin] = await siteWithAdmin();
    expect((await s.call(null, 'getPosts', {})).posts).toEqual([]);
    const [id = ''] = await publish(s, admin, essay({ content: '# Rivers\n\n*They* come.' }));
    const { posts } = await s.call(null, 'getPosts', {});
    expect(posts.map(post => post.id)).toEqual([id]);
    expect(posts[0]).not.toHaveProperty('content');
    const { post } = await s.call(null, 'getPost', { postId: id });
    expect(post.html).toContain('<em>They</em>');
    expect(post).toMatchObject({
      likeCount: 0,
      commentCount: 0,
      isDraft: false,
      authorId: null,
      updatedAt: null,
    });
  });

  it('the visible characters of a contrived short post are counted by a worker, not while others wait', async () => {
    const [s, admin] = await siteWithAdmin();
    const content = 'A short post has at most 300 characters.';
    const tooLong = { message: content, details: { fields: { content } } };
    await expect(s.call(admin, 'createPost', shortPost('a'.repeat(301)))).rejects.toMatchObject(tooLong);
    const parsed = vi.spyOn(MarkdownParser.prototype, 'createParse');
    const brackets = shortPost('([]'.repeat(3_333));
    await expect(s.call(admin, 'createPost', brackets)).rejects.toMatchObject(tooLong);
    expect(parsed).not.toHaveBeenCalled();
    parsed.mockRestore();
    const shown = `${'a'.repeat(299)}![${'b'.repeat(400)}](https://pictures.example/x.png)`;
    const [postId = ''] = await publish(s, admin, shortPost(shown));
    const save = (text: string) => s.call(admin, 'updatePost', { ...shortPost(text), postId });
    await save(`${shown}a`);
    await expect(save(`${shown}ab`)).rejects.toMatchObject(tooLong);
  });

  it('the site shows a draft only to admins until it is published, and dates it then', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const draft = essay({ isDraft: true });
    const { post } = await s.call(admin, 'createPost', draft);
    expect(await refusal(s.call(member, 'getPost', { postId: post.id }))).toBe('not-found');
    expect((await s.call(member, 'getPosts', {})).posts).toEqual([]);
    expect((await s.call(admin, 'getPosts', {})).posts).toEqual([]);
    expect((await s.call(admin, 'getPosts', { isAdmin: true })).posts).toHaveLength(1);

    s.wait(3_600_000);
    const saved = await s.call(admin, 'updatePost', { ...draft, postId: post.id, isDraft: false });
    expect(saved.post.createdAt).toBe(post.createdAt);
    expect(saved.post.publishedAt).not.toBe(post.createdAt);
    expect(post.publishedOn).toBe('');
    expect(saved.post.publishedOn).toBe(formatDate(saved.post.publishedAt, initialSettings));
    expect((await s.call(member, 'getPosts', {})).posts).toHaveLength(1);
  });

  it('the site publishes under a past date that its author chooses, in the time zone of the site', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'saveSiteSettings', { values: { timeZone: 'Pacific/Auckland' }, version: 0 });
    const saveKey = 'photos-of-october';
    const photos = { ...shortPost('From the trip.'), date: '2020-10-12T23:04:33' };
    await publish(s, admin, shortPost('Earlier today.'));
    s.wait(60_000);
    const { post } = await s.call(admin, 'createPost', { ...photos, saveKey });
    expect(post).toMatchObject({
      publishedAt: '2020-10-12T10:04:33.000Z',
      publishedOn: 'October 12, 2020',
      createdAt: new Date(s.deps.clock()).toISOString(),
    });
    // The answer was lost, and the browser sends it again.
    expect((await s.call(admin, 'createPost', { ...photos, saveKey })).post.id).toBe(post.id);
    const { posts } = await s.call(null, 'getPosts', {});
    const texts = posts.map(post => ('html' in post ? post.html.replaceAll(/<[^>]*>|\n/g, '') : null));
    expect(texts).toEqual(['Earlier today.', 'From the trip.']);
    // A published post keeps its date, and so does a draft until it is published.
    const again = { ...photos, postId: post.id, date: '2019-01-01T00:00:00' };
    expect((await s.call(admin, 'updatePost', again)).post.publishedOn).toBe('October 12, 2020');
    const draft = await s.call(admin, 'createPost', { ...photos, isDraft: true });
    expect(draft.post.publishedOn).toBe('');
    const old = { ...photos, postId: draft.post.id, date: '1953-06-02T11:00:00Z' };
    expect((await s.call(admin, 'updatePost', old)).post.publishedOn).toBe('June 2, 1953');
  });

  it('the site refuses a date that is to come', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const date of [
      new Date(s.deps.clock() + 1_000).toISOString(),
      '0000-01-01T00:00:00',
      'yesterday',
      '',
    ])
      expect(await refusal(s.call(admin, 'createPost', { ...essay(), date }))).toBe('invalid-argument');
    expect((await s.call(null, 'getPosts', {})).posts).toEqual([]);
  });

  it('the site names the language of an essay in lists, where it is another one than English', async () => {
    const [s, admin] = await siteWithAdmin();
    const english = essay({
      content: '## Above\n\nThe river rose in the night, and by the morning the meadow was gone.',
    });
    const german = essay({
      content:
        '## Am Fluss\n\nIn der Nacht stieg das Wasser, und am Morgen war von der Wiese nichts mehr zu sehen.',
    });
    await publish(s, admin, english, german);
    const { posts } = await s.call(null, 'getPosts', {});
    expect(posts.map(post => post.type === 'essay' && post.language)).toEqual(['de', undefined]);
  });

  it('a title and a description have the language of their own letters, otherwise that of the text', async () => {
    const [s, admin] = await siteWithAdmin();
    const arabic = 'في الصباح كان الضباب لا يزال فوق النهر ولم يكن أحد على الجسر.';
    await publish(
      s,
      admin,
      essay({ title: 'على ضفة النهر', description: 'A song', content: 'By the river.' }),
    );
    await publish(s, admin, essay({ title: 'Am Fluss', description: 'أغنية قديمة', content: arabic }));
    const { posts } = await s.call(null, 'getPosts', {});
    const languages = [
      [undefined, 'ar'],
      ['ar', undefined],
    ];
    expect(posts.map(post => post.type === 'essay' && [post.language, post.descriptionLanguage])).toEqual(
      languages,
    );
    for (const [at, { id }] of posts.entries()) {
      const { post } = await s.call(null, 'getPost', { postId: id });
      expect(post.type === 'essay' && [post.language, post.descriptionLanguage]).toEqual(languages[at]);
    }
  });

  it('the site refuses to turn a published post into a draft', async () => {
    const [s, admin] = await siteWithAdmin();
    const [id = ''] = await publish(s, admin, essay());
    const save = s.call(admin, 'updatePost', { ...essay({ isDraft: true }), postId: id });
    await expect(save).rejects.toThrow('Cannot save published post as draft');
  });

  it('the site refuses to overwrite a newer version', async () => {
    const [s, admin] = await siteWithAdmin();
    const { post } = await s.call(admin, 'createPost', essay());
    const save = (title: string) =>
      s.call(admin, 'updatePost', { ...essay({ title }), postId: post.id, version: post.version });
    await save('Mine');
    expect(await refusal(save('Yours'))).toBe('aborted');
    expect((await s.call(admin, 'getPost', { postId: post.id })).post.title).toBe('Mine');
  });

  it('62. the site accepts exactly one of two simultaneous saves of a version', async () => {
    const [s, admin] = await siteWithAdmin();
    const { post } = await s.call(admin, 'createPost', essay());
    const saves = ['One', 'Two', 'Three'].map(title =>
      s.call(admin, 'updatePost', { ...essay({ title }), postId: post.id, version: post.version }),
    );
    const results = await Promise.allSettled(saves);
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('the site deletes a post with its likes', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [id = ''] = await publish(s, admin, essay({ tags: ['gone'] }));
    await s.setDefaultTags(['gone']);
    await s.call(member, 'setLike', { postId: id, liked: true });
    await s.call(admin, 'deletePost', { postId: id });
    expect(await refusal(s.call(admin, 'getPost', { postId: id }))).toBe('not-found');
    expect(await refusal(s.call(admin, 'deletePost', { postId: id }))).toBe('not-found');
    expect(await s.deps.db.selectFrom('likes').selectAll().execute()).toEqual([]);
    expect((await s.call(null, 'getTags', {})).tags).toEqual([]);
  });

  it('the history says who deleted a published post, or a draft of somebody else, and whose it was', async () => {
    const s = await site();
    const [admin, author] = [await s.admin(), await s.member()];
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    const [essayId = '', draftId = '', ownDraftId = '', shortId = ''] = [
      ...(await publish(s, author, essay({ title: 'On rivers' }), {
        ...essay({ title: 'Not yet' }),
        isDraft: true,
      })),
      ...(await publish(s, author, { ...essay({ title: 'Mine' }), isDraft: true }, shortPost('Words.'))),
    ];
    for (const postId of [essayId, draftId]) {
      await s.call(admin, 'deletePost', { postId });
      s.wait(1_000);
    }
    for (const postId of [ownDraftId, shortId]) await s.call(author, 'deletePost', { postId });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'post-deleted' });
    const whose = { user: { id: author.id } };
    expect(entries).toMatchObject([
      { actor: { id: author.id }, ...whose, thing: { id: shortId, name: '' } },
      { actor: { id: admin.id }, ...whose, thing: { id: draftId, name: 'Not yet' } },
      { actor: { id: admin.id }, ...whose, thing: { id: essayId, name: 'On rivers' } },
    ]);
  });

  it('the history says who changed the tags of a published post and which, not of drafts nor of other saves', async () => {
    const [s, admin] = await siteWithAdmin();
    const lucia = shortPost('Lucia tomorrow, with buns.', ['family']);
    const [postId = '', draftId = ''] = await publish(s, admin, lucia, { ...lucia, isDraft: true });
    const save = async (post: ReturnType<typeof shortPost>, id = postId) => {
      s.wait(1_000);
      await s.call(admin, 'updatePost', { ...post, postId: id });
    };
    await save({ ...lucia, tags: ['surprise'] });
    await save({ ...lucia, content: 'No buns.', tags: ['surprise'] });
    await save({ ...lucia, tags: ['surprise'], isDraft: true }, draftId);
    await save({ ...lucia, tags: ['family'] }, draftId);
    expect(await refusal(save({ ...lucia, tags: [], isDraft: true }))).toBe('failed-precondition');
    await save({ ...lucia, tags: [] });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'posts-retagged' });
    const one = { actor: { id: admin.id }, posts: 1, thing: { id: postId, name: '' } };
    expect(entries).toMatchObject([
      { ...one, gave: [], took: [{ name: 'surprise' }] },
      { ...one, gave: [{ name: 'surprise' }], took: [{ name: 'family' }] },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/Lucia|buns/);
  });

  it.each([
    ['a long short post', { type: 'short', content: 'a'.repeat(301), isDraft: false }],
    ['an essay without a title', { ...essay(), title: '  ' }],
    ['an essay without a description', { ...essay(), description: undefined }],
    ['empty content', essay({ content: ' \n ' })],
    ['a NUL', essay({ content: 'a\0b' })],
    ['half a character', essay({ content: '\ud800' })],
    ['too many tags', essay({ tags: Array.from({ length: 51 }, (_, index) => `t${index}`) })],
    ['a tag that is too long', essay({ tags: ['a'.repeat(51)] })],
  ])('the site refuses %s', async (_, input) => {
    const [s, admin] = await siteWithAdmin();
    expect(await refusal(s.call(admin, 'createPost', input as ReturnType<typeof essay>))).toBe(
      'invalid-argument',
    );
  });

  it('the site counts the characters of a short post as people do', async () => {
    const [s, admin] = await siteWithAdmin();
    const { post } = await s.call(admin, 'createPost', shortPost('👨‍👩‍👧‍👦'.repeat(300)));
    expect(post.type).toBe('short');
  });

  it('a post with more than thirty marks on one letter is refused, and one from before is shown with thirty', async () => {
    const [s, admin] = await siteWithAdmin();
    const marked = (marks: number) => `a${'\u0301'.repeat(marks)}`;
    for (const field of ['title', 'description', 'content'])
      await expect(s.call(admin, 'createPost', essay({ [field]: marked(31) }))).rejects.toThrow(
        'has more than 30 marks on one letter.',
      );
    const fields = { title: marked(30), description: marked(30), content: `a${'&#x301;'.repeat(40)}` };
    const [id = ''] = await publish(s, admin, essay(fields));
    const stored = s.deps.db.selectFrom('posts').select(['html', 'text']).where('id', '=', id);
    expect(await stored.execute()).toEqual([{ html: `<p>${marked(30)}</p>`, text: marked(30) }]);

    const [short = ''] = await publish(s, admin, shortPost());
    const long = marked(3_000);
    await s.deps.db
      .updateTable('posts')
      .set({ title: long, description: long })
      .where('id', '=', id)
      .execute();
    await s.deps.db.updateTable('posts').set({ html: long }).execute();
    const { posts } = await s.call(null, 'getPosts', {});
    expect(posts.find(listed => listed.id === id)).toMatchObject({
      title: marked(30),
      description: marked(30),
    });
    expect(posts.find(listed => listed.id === short)).toMatchObject({ html: marked(30) });
    expect((await s.call(admin, 'getPost', { postId: id })).post).toMatchObject({
      title: marked(30),
      description: marked(30),
      html: marked(30),
    });
    expect((await s.call(admin, 'listPosts', {})).posts.map(({ title }) => title)).toContain(marked(30));
  });

  it('likes are counted correctly however often and concurrently they are set', async () => {
    const s = await site();
    const [admin, one, two] = [await s.admin(), await s.member(), await s.member()];
    const [postId = ''] = await publish(s, admin, essay());
    await Promise.all(
      [one, two].flatMap(person =>
        Array.from({ length: 25 }, () => s.call(person, 'setLike', { postId, liked: true })),
      ),
    );
    expect((await s.call(one, 'getPost', { postId })).post).toMatchObject({ likeCount: 2, isLiked: true });
    expect(await s.call(one, 'setLike', { postId, liked: false })).toEqual({ liked: false, likeCount: 1 });
    expect(await s.call(one, 'setLike', { postId, liked: false })).toEqual({ liked: false, likeCount: 1 });
    expect((await s.call(null, 'getPost', { postId })).post).toMatchObject({
      likeCount: 1,
      isLiked: false,
    });
  });

  it('5. likes are only for approved members, on posts that they may read', async () => {
    const s = await site();
    const [admin, pending, denied, member] = [
      await s.admin(),
      await s.signUp(),
      await s.denied(),
      await s.member(),
    ];
    const [open = '', closed = ''] = await publish(s, admin, essay(), essay({ tags: ['friends'] }));
    const like = (person: typeof pending | null, postId: string) =>
      refusal(s.call(person, 'setLike', { postId, liked: true }));
    expect(await like(null, open)).toBe('unauthenticated');
    expect(await like(pending, open)).toBe('permission-denied');
    // A denial has ended the session.
    expect(await like(denied, open)).toBe('unauthenticated');
    expect(await like(member, closed)).toBe('permission-denied');
    expect(await like(member, 'nothing')).toBe('not-found');
    expect((await s.call(admin, 'getPost', { postId: closed })).post.likeCount).toBe(0);
  });
});
