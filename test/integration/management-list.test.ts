import { expect, it } from 'vitest';
import { upload } from '../support/author-files.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { hostileSearches } from '../support/hostile-searches.ts';
import { refusal } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin }) => {
  it('the management list shows drafts or published posts as filtered, in pages', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, ...Array.from({ length: 12 }, (_, index) => shortPost(`Post ${index}`)));
    await publish(s, admin, essay({ title: 'A draft', isDraft: true }));
    const titles = async (input: Parameters<typeof s.call<'listPosts'>>[2]) => {
      const { posts, hasNextPage } = await s.call(admin, 'listPosts', input);
      return { names: posts.map(post => post.title ?? post.excerpt), hasNextPage };
    };
    const first = await titles({});
    expect(first.names.slice(0, 2)).toEqual(['A draft', 'Post 11']);
    expect([first.names.length, first.hasNextPage]).toEqual([10, true]);
    expect(await titles({ page: 2 })).toEqual({ names: ['Post 2', 'Post 1', 'Post 0'], hasNextPage: false });
    expect(await titles({ filter: 'drafts' })).toEqual({ names: ['A draft'], hasNextPage: false });
    expect((await titles({ filter: 'published' })).names[0]).toBe('Post 11');
    expect((await titles({ filter: 'drafts', page: 9 })).names).toEqual([]);
  });

  it('the management list is narrowed by kind, tag and author, with the number of matches, also in a search', async () => {
    const s = await site();
    const [admin, author] = [await s.admin(), await s.member(['friends'], 'mary')];
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    await publish(s, admin, shortPost('Rain.', ['friends']), essay({ title: 'Rain' }), shortPost('Sun.'));
    await publish(s, author, shortPost('More rain.', ['friends']));
    const found = async (input: Parameters<typeof s.call<'listPosts'>>[2], as = admin) => {
      const { posts, total } = await s.call(as, 'listPosts', input);
      return [...posts.map(post => post.title ?? post.excerpt), total];
    };
    expect(await found({})).toEqual(['More rain.', 'Sun.', 'Rain', 'Rain.', 4]);
    expect(await found({ type: 'essay' })).toEqual(['Rain', 1]);
    expect(await found({ tag: 'Friends' })).toEqual(['More rain.', 'Rain.', 2]);
    expect(await found({ tag: 'nothing' })).toEqual([0]);
    expect(await found({ authorId: author.id })).toEqual(['More rain.', 1]);
    expect(await found({ search: 'rain', type: 'short', tag: 'friends' })).toEqual([
      'More rain.',
      'Rain.',
      2,
    ]);
    expect(await found({ search: 'rain', authorId: author.id })).toEqual(['More rain.', 1]);
    // An author sees only their own posts, also when the filter names somebody else.
    expect(await found({ authorId: admin.id }, author)).toEqual(['More rain.', 1]);
    expect((await s.call(admin, 'listPosts', {})).authors.map(each => each.username)).toEqual([
      'mary',
      admin.username,
    ]);
    expect((await s.call(author, 'listPosts', {})).authors).toEqual([]);
  });

  it('the management list names the deleted tags that its posts still carry, an author only those of their own', async () => {
    const s = await site();
    const [admin, author] = [await s.admin(), await s.member(['friends', 'walks'], 'mary')];
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    await publish(s, admin, shortPost('Rain.', ['friends']), shortPost('Sun.', ['kept']));
    await publish(s, admin, { ...shortPost('Fog.', ['ideas', 'friends']), isDraft: true });
    await publish(s, author, shortPost('Hail.', ['walks']));
    const [bare = ''] = await publish(s, admin, shortPost('Snow.', ['bare']));
    await s.call(admin, 'updatePost', { ...shortPost('Snow.'), postId: bare });
    const deleted = async (as = admin) => (await s.call(as, 'listPosts', {})).deletedTags;
    expect(await deleted()).toEqual([]);
    const { tags } = await s.call(admin, 'getManagedTags', {});
    for (const tag of tags.filter(({ name }) => name !== 'kept'))
      await s.call(admin, 'deleteTag', { tagId: tag.id });
    expect(await deleted()).toEqual(['friends', 'ideas', 'walks']);
    expect(await deleted(author)).toEqual(['walks']);
    await s.call(admin, 'addTag', { name: 'Friends' });
    expect(await deleted()).toEqual(['ideas', 'walks']);
  });

  it('the management list finds posts by the words of title, description and content, in any case and with any accents', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(
      s,
      admin,
      essay({
        title: 'On Rivers',
        description: 'Where they begin',
        content: 'The Ångström flows, *naïve* and 10.5 wide.',
      }),
      shortPost('A well-known café, ГОРОД and 東京 tower'),
    );
    const found = async (search: string) =>
      (await s.call(admin, 'listPosts', { search })).posts.map(post => post.title ?? 'short');
    for (const term of [
      'rivers',
      'RIVER',
      'begin',
      'angstrom',
      'Ångstr',
      'naive wide',
      '10.5',
      '10 5',
      '"rivers"',
      'rivers*',
    ])
      expect([term, await found(term)]).toEqual([term, ['On Rivers']]);
    for (const term of [
      'cafe',
      'CAFÉ',
      'cafe\u0301',
      'город',
      'known',
      'well-known',
      'WELL KNOWN tow',
      '東京',
    ])
      expect([term, await found(term)]).toEqual([term, ['short']]);
    expect(await found('and')).toEqual(['short', 'On Rivers']);
    expect(await found('  ')).toEqual(['short', 'On Rivers']);
    expect(await found('ivers')).toEqual([]);
  });

  it('the management list finds words of every script, with their necessary marks and without optional ones', async () => {
    const [s, admin] = await siteWithAdmin();
    const text = 'हिन्दी किताब สวัสดี முதல் বাংলা مُحَمَّد שָׁלוֹם がっこう Ὀδυσσεύς';
    await publish(s, admin, shortPost(text), shortPost('हन कताब สวสด মতল কাককো かっこう'));
    const found = async (search: string) =>
      (await s.call(admin, 'listPosts', { search })).posts.map(post => post.excerpt);
    const words = [...text.split(' '), 'محمد', 'שלום', 'か\u3099っ', 'ΟΔΥΣΣΕΥΣ', 'ὀδυ'];
    for (const word of words) expect([word, await found(word)]).toEqual([word, [text]]);
  });

  it('the management list takes operators of a query language for a text and nothing else', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('a plain text without the operators'));
    for (const search of hostileSearches)
      expect([search, (await s.call(admin, 'listPosts', { search })).posts]).toEqual([search, []]);
  });

  it('the management list updates the search after edits and deletions', async () => {
    const [s, admin] = await siteWithAdmin();
    const [id = ''] = await publish(s, admin, essay({ title: 'Before' }));
    const found = async (search: string) => (await s.call(admin, 'listPosts', { search })).posts.length;
    await s.call(admin, 'updatePost', { ...essay({ title: 'After' }), postId: id });
    expect([await found('before'), await found('after')]).toEqual([0, 1]);
    await s.call(admin, 'deletePost', { postId: id });
    expect(await found('after')).toBe(0);
  });

  it('the management list names those who like a post', async () => {
    const s = await site();
    const [admin, one, two] = [await s.admin(), await s.member([], 'Lucy_W'), await s.member([], 'arthur')];
    const [postId = ''] = await publish(s, admin, essay());
    expect(await s.call(admin, 'listLikes', { postId })).toEqual({ likes: [], total: 0 });
    await s.call(one, 'setLike', { postId, liked: true });
    s.wait(1_000);
    await s.call(two, 'setLike', { postId, liked: true });
    const { likes, total } = await s.call(admin, 'listLikes', { postId });
    expect(likes).toMatchObject([
      { userId: two.id, username: 'arthur' },
      { userId: one.id, username: 'Lucy_W' },
    ]);
    expect(total).toBe(2);
    expect(await refusal(s.call(admin, 'listLikes', { postId: 'nothing' }))).toBe('not-found');
  });

  it('the management list is only for admins, like all that writes', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay());
    const people = [
      [null, 'unauthenticated'],
      [await s.signUp(), 'permission-denied'],
      [await s.denied(), 'unauthenticated'],
      [await s.member(['friends']), 'permission-denied'],
    ] as const;
    for (const [person, code] of people) {
      expect(await refusal(s.call(person, 'listPosts', {}))).toBe(code);
      expect(await refusal(s.call(person, 'listLikes', { postId }))).toBe(code);
      expect(await refusal(s.call(person, 'previewPost', { content: 'x' }))).toBe(code);
      expect(await refusal(s.call(person, 'createPost', essay()))).toBe(code);
      expect(await refusal(s.call(person, 'updatePost', { ...essay(), postId }))).toBe(code);
      expect(await refusal(s.call(person, 'deletePost', { postId }))).toBe(code);
      expect((await upload(s, person)).status).toBe(code === 'unauthenticated' ? 401 : 403);
    }
    expect(await s.deps.db.selectFrom('files').selectAll().execute()).toEqual([]);
  });

  it('a preview shows a text exactly as it will be published', async () => {
    const [s, admin] = await siteWithAdmin();
    const content = '# Rivers\n\n<script>alert(1)</script>\n\n[Video: a](/files/x/a.mp4)';
    const { html } = await s.call(admin, 'previewPost', { content });
    const { post } = await s.call(admin, 'createPost', essay({ content }));
    expect(html.replaceAll('preview-', '')).toBe(post.html.replaceAll(`${post.id}-`, ''));
    expect(html).not.toContain('<script');
    expect(await s.call(admin, 'previewPost', { content: '' })).toEqual({ html: '', blockStarts: [] });
  });
});
