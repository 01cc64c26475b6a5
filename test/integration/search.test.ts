import { expect, it } from 'vitest';
import type { Input, Output } from '../../contract/operations.ts';
import { uploaded } from '../support/author-files.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { type Person, renewSessions, type Site } from '../support/site.ts';

type Query = string | Input<'search'>;
const ask = async (s: Site, as: Person, query: Query): Promise<Output<'search'>> =>
  await s.call(as, 'search', typeof query === 'string' ? { q: query } : query);
const names = ({ posts }: Output<'search'>) =>
  posts.map(({ title, excerpt }) => (title ?? excerpt).map(part => part.text).join(''));
const marked = (parts: { text: string; isMarked: boolean }[] | null | undefined) =>
  (parts ?? []).map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join('');

describeEngines(({ site, siteWithAdmin }) => {
  it('a reader’s search ranks by where the words stand, then whole words first, then the newest', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(
      s,
      admin,
      essay({ title: 'A boat', description: 'x', content: 'x' }),
      essay({ title: 'Boathouses', description: 'x', content: 'x' }),
      essay({ title: 'In the description', description: 'My boat.', content: 'x' }),
      shortPost('Old boat.'),
      shortPost('Boatman.'),
      essay({ title: 'Another boat', description: 'x', content: 'x' }),
      shortPost('New boat.'),
      shortPost('No ships at all.'),
    );
    const inOrder = [
      'Another boat',
      'A boat',
      'Boathouses',
      'In the description',
      'New boat.',
      'Old boat.',
      'Boatman.',
    ];
    expect(names(await ask(s, null, 'boat'))).toEqual(inOrder);
    const managed = await s.call(admin, 'listPosts', { search: 'boat' });
    expect(managed.posts.map(post => post.title ?? post.excerpt)).toEqual(inOrder);
    expect(names(await ask(s, null, 'BOÁT description'))).toEqual(['In the description']);
    expect(names(await ask(s, null, 'b'))).toEqual(expect.arrayContaining(inOrder));
  });

  it('a reader’s search has pages, the same on each engine, and no page beyond the last', async () => {
    const s = await site();
    await publish(
      s,
      await s.admin(),
      ...Array.from({ length: 12 }, (_, index) => shortPost(`Rain ${index}`)),
    );
    const pages = await Promise.all([1, 2, 3].map(page => ask(s, null, { q: 'rain', page })));
    const expected = Array.from({ length: 12 }, (_, index) => `Rain ${11 - index}`);
    expect(pages.map(names)).toEqual([expected.slice(0, 10), expected.slice(10), []]);
    expect(pages.map(page => page.hasNextPage)).toEqual([true, false, false]);
  });

  it('a reader’s search finds the words of titles, descriptions, texts, captions, attachments and tags', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await uploaded(s, admin, 'timetable.png');
    await s.setDefaultTags(['Sailing Trips']);
    await publish(
      s,
      admin,
      essay({
        title: 'Title',
        description: 'Described',
        content: 'Text ![A lighthouse](https://example.com/x.png)',
      }),
      {
        ...essay({ title: 'With a file' }),
        attachments: [{ url, description: 'Ferries of the summer', alt: 'A yellow plate' }],
      },
      shortPost('Tagged', ['Sailing Trips']),
    );
    for (const word of ['title', 'described', 'text', 'lighthouse'])
      expect([word, names(await ask(s, null, word))]).toEqual([word, ['Title']]);
    for (const word of ['timetable', 'ferries', 'summer', 'yellow'])
      expect([word, names(await ask(s, null, word))]).toEqual([word, ['With a file']]);
    for (const word of ['sailing', 'trip', 'sail tagged', 'trips sailing'])
      expect([word, names(await ask(s, null, word))]).toEqual([word, ['Tagged']]);
    const found = await ask(s, null, 'ferries');
    expect(marked(found.posts[0]?.excerpt)).toBe('[Ferries] of the summer');
    expect(marked((await ask(s, null, 'yellow')).posts[0]?.excerpt)).toBe('A [yellow] plate');
    // A save that says nothing of its files keeps them.
    await s.call(admin, 'updatePost', {
      ...essay({ title: 'Renamed', tags: ['Sailing Trips'] }),
      postId: found.posts[0]?.id ?? '',
    });
    for (const word of ['renamed', 'ferries', 'renamed sailing'])
      expect([word, names(await ask(s, null, word))]).toEqual([word, ['Renamed']]);
    expect(names(await ask(s, null, 'file'))).toEqual([]);
    const tag = (await s.call(admin, 'getManagedTags', {})).tags.find(({ name }) => name === 'Sailing Trips');
    await s.call(admin, 'renameTag', { tagId: tag?.id ?? '', name: 'Voyages' });
    expect(names(await ask(s, null, 'voyages'))).toEqual(['Tagged', 'Renamed']);
    expect(names(await ask(s, null, 'sailing'))).toEqual([]);
  });

  it('a reader’s search finds Chinese, Japanese and Thai wherever the words stand in a text without spaces', async () => {
    const s = await site();
    const texts = [
      '昨天我们在东京的码头散步。',
      '今日は東京タワーへ行きました',
      'วันนี้เราไปเที่ยวทะเล',
      '한국어 블로그에서',
    ];
    await publish(s, await s.admin(), ...texts.map(text => shortPost(text)));
    for (const [word, text] of [
      ['码头', texts[0]],
      ['码', texts[0]],
      ['东京的码头', texts[0]],
      ['タワー', texts[1]],
      ['東京タワー', texts[1]],
      ['ました', texts[1]],
      ['ทะเล', texts[2]],
      ['블로그', texts[3]],
    ]) {
      expect([word, names(await ask(s, null, word ?? ''))]).toEqual([word, [text]]);
    }
    expect(names(await ask(s, null, '头码'))).toEqual([]);
    expect(marked((await ask(s, null, '码头')).posts[0]?.excerpt)).toBe('昨天我们在东京的[码头]散步。');
  });

  it('a reader’s search shows the sentence in which the words stand, with the words marked', async () => {
    const s = await site();
    const before = 'Nothing about it here. '.repeat(40);
    const content = `${before}Then the Ångström café had a boat, and the harbour was full. ${before}`;
    await publish(s, await s.admin(), essay({ title: 'A boat', content }));
    const [post] = (await ask(s, null, 'boat angstrom harb')).posts;
    expect(marked(post?.title)).toBe('A [boat]');
    expect(marked(post?.excerpt)).toMatch(
      /^Then the \[Ångström\] café had a \[boat\], and the \[harbour\] was full\. Nothing .*…$/,
    );
  });

  it('a reader’s search filters by tag, kind, year and pictures', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.setDefaultTags(['sea']);
    await publish(s, admin, shortPost('Boat one', ['sea']), shortPost('Boat two'));
    s.wait(366 * 24 * 60 * 60 * 1_000);
    await renewSessions(s);
    await publish(s, admin, essay({ title: 'Boat three', content: '![x](https://example.com/x.png)' }));
    expect((await ask(s, null, '')).years).toEqual([2027, 2026]);
    const filters: [Partial<Input<'search'>>, string[]][] = [
      [{}, ['Boat three', 'Boat two', 'Boat one']],
      [{ tag: 'SEA' }, ['Boat one']],
      [{ tag: 'nowhere' }, []],
      [{ type: 'essay' }, ['Boat three']],
      [{ type: 'short' }, ['Boat two', 'Boat one']],
      [{ year: 2026 }, ['Boat two', 'Boat one']],
      [{ year: 2027 }, ['Boat three']],
      [{ withPictures: true }, ['Boat three']],
      [{ withPictures: true, year: 2026 }, []],
    ];
    for (const [filter, found] of filters) {
      expect([filter, names(await ask(s, null, { q: 'boat', ...filter }))]).toEqual([filter, found]);
      // Filters alone list what they leave; without any there is nothing to list.
      const listed = Object.keys(filter).length === 0 ? [] : found;
      expect([filter, names(await ask(s, null, { q: ' ', ...filter }))]).toEqual([filter, listed]);
    }
    const pages = await Promise.all(
      [1, 2].map(page => s.call(null, 'search', { q: '', type: 'short', page })),
    );
    expect(pages.map(({ hasNextPage }) => hasNextPage)).toEqual([false, false]);
    expect(pages.map(names)).toEqual([['Boat two', 'Boat one'], []]);
  });

  it('a reader’s search for posts with pictures finds only pictures that the reader may see', async () => {
    const [s, admin] = await siteWithAdmin();
    const content = '![x](https://example.com/x.png)';
    await publish(s, admin, shortPost('A boat'), essay({ title: 'Boat at sea', content, tags: ['friends'] }));
    const member = await s.member(['friends']);
    for (const q of ['boat', 'baot']) {
      expect(await ask(s, null, { q, withPictures: true })).toMatchObject({ posts: [], suggestion: null });
      expect(names(await ask(s, member, { q, withPictures: true }))).toEqual(['Boat at sea']);
    }
  });

  it('a reader’s search finds a word with a letter wrong where nothing holds it as it is written', async () => {
    const s = await site();
    await publish(
      s,
      await s.admin(),
      ...['A boat', 'A boat in the harbour', 'Both of them', 'An old ферма'].map(text => shortPost(text)),
    );
    for (const [word, suggestion, found] of [
      ['bote', 'boat', 'A boat in the harbour'],
      ['harbur', 'harbour', 'A boat in the harbour'],
      ['harobur', 'harbour', 'A boat in the harbour'],
      ['harbuor', 'harbour', 'A boat in the harbour'],
      ['boat harboor', 'boat harbour', 'A boat in the harbour'],
      ['boa harboor', 'boa harbour', 'A boat in the harbour'],
      ['фермы', 'ферма', 'An old ферма'],
      ['boat ферма', null, undefined],
      ['zyzzyva', null, undefined],
      ['xy', null, undefined],
    ] as const) {
      const answer = await ask(s, null, word);
      expect([word, answer.suggestion, names(answer)[0]]).toEqual([word, suggestion, found]);
    }
  });

  it('a reader’s search finds one’s own comments, on posts that one may read', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay({ title: 'On ferries', tags: ['friends'] }));
    const member = await s.member(['friends']);
    const other = await s.member(['friends']);
    await publish(s, admin, shortPost('A kayac at sea'));
    const { comment } = await s.call(member, 'addComment', { postId, content: 'I took the kayak myself.' });
    const found = await ask(s, member, 'kayak');
    // No other spelling is suggested to the writer of the word.
    expect(found).toMatchObject({ posts: [], suggestion: null });
    expect(await ask(s, other, 'kayak')).toMatchObject({ posts: [{}], suggestion: 'kayac' });
    expect(found.comments).toEqual([
      {
        id: comment.id,
        postId,
        postTitle: 'On ferries',
        excerpt: [
          { text: 'I took the ', isMarked: false },
          { text: 'kayak', isMarked: true },
          { text: ' myself.', isMarked: false },
        ],
        createdOn: 'January 1, 2026',
      },
    ]);
    for (const person of [other, admin, null]) expect((await ask(s, person, 'kayak')).comments).toEqual([]);
    await s.call(admin, 'setApprovedTags', { userId: member?.id ?? '', tags: [] });
    expect((await ask(s, member, 'kayak')).comments).toEqual([]);
  });

  it('a reader’s search looks through 400,000 characters of one’s newest comments', async () => {
    const s = await site();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    const member = await s.member();
    const comment = (at: number, content: string) => ({
      ...{ id: `comment${at}`, post_id: postId, user_id: member?.id ?? '', content, created_at: at },
    });
    const long = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => comment(from + index, 'é '.repeat(2_500)));
    const insert = async (rows: ReturnType<typeof comment>[]) =>
      await s.deps.db.insertInto('comments').values(rows).execute();
    await insert([comment(1, 'I took the kayak myself.'), ...long(2, 79)]);
    expect((await ask(s, member, 'kayak')).comments).toMatchObject([{ id: 'comment1' }]);
    await insert(long(100, 1));
    expect((await ask(s, member, 'kayak')).comments).toEqual([]);
    await insert([
      comment(200, 'Another kayak.'),
      ...Array.from({ length: 600 }, (_, at) => comment(300 + at, 'é')),
    ]);
    expect((await ask(s, member, 'kayak')).comments).toMatchObject([{ id: 'comment200' }]);
  });

  it('a reader’s search follows edits and deletions', async () => {
    const [s, admin] = await siteWithAdmin();
    const [id = ''] = await publish(s, admin, essay({ title: 'Before' }));
    await s.call(admin, 'updatePost', { ...essay({ title: 'After' }), postId: id });
    expect([names(await ask(s, null, 'before')), names(await ask(s, null, 'after'))]).toEqual([
      [],
      ['After'],
    ]);
    await s.call(admin, 'deletePost', { postId: id });
    expect(names(await ask(s, null, 'after'))).toEqual([]);
  });

  it('a reader’s search takes a likely word for a whole one, and for a beginning where no post holds it with the others', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('Rain, boat.'), shortPost('Rainy boats.'), shortPost('Snowy harbour.'));
    expect(names(await ask(s, null, 'rain baot'))).toEqual(['Rain, boat.']);
    expect(names(await ask(s, null, 'snow harbuor'))).toEqual(['Snowy harbour.']);
    await publish(s, admin, shortPost('A photo.'), shortPost('Photos of a mountain.'));
    expect(names(await ask(s, null, 'photo montain'))).toEqual(['Photos of a mountain.']);
  });
});
