import { expect, it } from 'vitest';
import type { Output } from '../../contract/operations.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { getArchive } from '../../server/reading/archive.ts';
import { uploaded } from '../support/author-files.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { recordQueries } from '../support/queries.ts';
import { type Location, openSite, type Person, refusal, type Site } from '../support/site.ts';

/** Publishes posts as if at these moments. */
async function publishAt(s: Site, who: Person, posts: readonly [moment: string, post: object][]) {
  const ids = await publish(s, who, ...posts.map(([, post]) => post as ReturnType<typeof essay>));
  for (const [index, id] of ids.entries()) {
    const published_at = Date.parse(posts[index]?.[0] ?? '');
    await s.deps.db.updateTable('posts').set({ published_at }).where('id', '=', id).execute();
  }
  return ids;
}

/** What somebody gets of all that shows the order of posts, as bytes. */
async function answers(s: Site, who: Person, postIds: readonly string[]): Promise<string[]> {
  const calls = [
    s.call(who, 'getArchive', {}),
    s.call(who, 'getArchive', { year: 2024 }),
    s.call(who, 'getArchive', { year: 2024, month: 3 }),
    ...postIds.map(postId => s.call(who, 'getNeighbours', { postId })),
  ];
  return (await Promise.all(calls)).map(answer => JSON.stringify(answer));
}

/** A site whose calendar is not that of UTC. */
async function inVienna(location: Location) {
  const s = await openSite(location, { SITE_TIMEZONE: 'Europe/Vienna' });
  return { ...s, [Symbol.asyncDispose]: s.close };
}

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it('the archive begins with the last year of the timeline, where a later one has pages alone', async () => {
    await using s = await inVienna(await migrated());
    const admin = await s.admin();
    await publishAt(s, admin, [
      ['2023-05-01T12:00:00Z', essay({ title: 'In May' })],
      ['2024-05-01T12:00:00Z', essay({ title: 'Contact', shownIn: 'footer' })],
    ]);
    expect(await s.call(null, 'getArchive', {})).toMatchObject({
      years: [{ year: 2023, count: 1 }],
      year: 2023,
      months: [{ month: 5, count: 1 }],
      posts: [{ title: 'In May' }],
    });
  });

  it('the archive counts by year and month of the site’s calendar what the viewer may read, with titles', async () => {
    await using s = await inVienna(await migrated());
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const [lastYear, , midnight, friends] = await publishAt(s, admin, [
      ['2023-12-31T22:59:59Z', essay({ title: 'The last evening' })],
      [
        '2023-12-31T23:00:00Z',
        shortPost('It is midnight in Vienna, and all the bells ring. '.repeat(4).trim()),
      ],
      ['2024-03-31T22:30:00Z', essay({ title: 'April already' })],
      ['2024-03-10T12:00:00Z', essay({ title: 'For friends', tags: ['friends'] })],
    ]);
    const archive = await s.call(null, 'getArchive', {});
    expect(archive).toMatchObject({
      years: [
        { year: 2024, count: 2 },
        { year: 2023, count: 1 },
      ],
      year: 2024,
      months: [
        { month: 4, count: 1 },
        { month: 1, count: 1 },
      ],
      posts: [
        { postId: midnight, title: 'April already', month: 4, day: 1, publishedOn: 'April 1, 2024' },
        {
          title: 'It is midnight in Vienna, and all the bells ring. It is midnight in Vienna, and…',
          month: 1,
          day: 1,
        },
      ],
      nextCursor: null,
    });
    expect(await s.call(null, 'getArchive', { year: 2023 })).toMatchObject({
      posts: [{ postId: lastYear, day: 31 }],
    });
    const friendly = await s.call(member, 'getArchive', { year: 2024, month: 3 });
    expect(friendly).toMatchObject({
      years: [{ year: 2024, count: 3 }, { year: 2023 }],
      months: [{ month: 4 }, { month: 3, count: 1 }, { month: 1 }],
      posts: [{ postId: friends, title: 'For friends', day: 10 }],
    });
    expect(await s.call(null, 'getArchive', { year: 2024, month: 3 })).toMatchObject({ posts: [] });
    expect(await s.call(null, 'getArchive', { year: 1999 })).toMatchObject({
      year: 1999,
      months: [],
      posts: [],
    });
  });

  it('the archive counts again for a member once a post is published, moved or deleted, or a right is lost', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const years = async () => {
      const archive = await s.call(member, 'getArchive', {});
      expect((await s.call(member, 'search', { q: 'a' })).years).toEqual(
        archive.years.map(each => each.year),
      );
      return archive.years.map(({ year, count }) => [year, count]);
    };
    expect(await years()).toEqual([]);
    const [a = '', b = ''] = await publishAt(s, admin, [
      ['2024-01-01T12:00:00Z', essay({ title: 'A' })],
      ['2024-02-01T12:00:00Z', essay({ title: 'B', tags: ['friends'] })],
    ]);
    expect(await years()).toEqual([[2024, 2]]);
    const [c = ''] = await publishAt(s, admin, [
      ['2022-01-01T12:00:00Z', essay({ title: 'C', tags: ['family'] })],
    ]);
    expect(await years()).toEqual([[2024, 2]]);
    await s.deps.db
      .updateTable('posts')
      .set(eb => ({ tag_set_id: eb.selectFrom('posts as c').select('c.tag_set_id').where('c.id', '=', c) }))
      .where('id', '=', a)
      .execute();
    expect(await years()).toEqual([[2024, 1]]);
    await s.call(admin, 'deletePost', { postId: b });
    expect(await years()).toEqual([]);
    await publishAt(s, admin, [['2021-01-01T12:00:00Z', essay({ title: 'D', tags: ['friends'] })]]);
    expect(await years()).toEqual([[2021, 1]]);
    await s.call(admin, 'setApprovedTags', { userId: member?.id ?? '', tags: [] });
    expect(await years()).toEqual([]);
  });

  it('the archive goes on after a hundred titles, and repeats or skips none that are published at the same moment', async () => {
    const [s, admin] = await siteWithAdmin();
    const [first = ''] = await publish(s, admin, shortPost('a post'));
    const { tag_set_id } = await s.deps.db
      .selectFrom('posts')
      .select('tag_set_id')
      .where('id', '=', first)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: 230 }, (_, index) => ({
      id: `made${index}`,
      type: 'short' as const,
      tag_set_id,
      published_at: Date.UTC(2020, 4, 1 + Math.floor(index / 20)),
      created_at: 1,
      content: '',
      html: '',
      text: '',
    }));
    await s.deps.db.insertInto('posts').values(rows).execute();
    const found: string[] = [];
    const sizes: number[] = [];
    for (let after: string | null = null; ; ) {
      const page: Output<'getArchive'> = await s.call(null, 'getArchive', { year: 2020, month: 5, after });
      found.push(...page.posts.map(post => post.postId));
      sizes.push(page.posts.length);
      expect(page.months).toEqual([{ month: 5, count: 230 }]);
      after = page.nextCursor;
      if (after === null) break;
    }
    expect(sizes).toEqual([100, 100, 30]);
    expect(new Set(found).size).toBe(230);
    expect(await refusal(s.call(null, 'getArchive', { after: 'nothing' }))).toBe('invalid-argument');
  });

  it('the archive asks the database the same whatever a viewer may not read, and of a thousand years no month but those of one', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const { plugin, queries: asked } = recordQueries();
    const db = s.deps.db.withPlugin(plugin);
    const { defaultTagIds } = await s.deps.catalogue();
    const askedBy = async (userId: string) => {
      asked.length = 0;
      const viewer = await viewerOfUser(s.deps.db, userId, defaultTagIds);
      const { years } = await getArchive({ ...s.deps, db }, viewer, { year: 2024 });
      return { years, statements: asked.map(query => JSON.stringify(query)) };
    };
    await publishAt(s, admin, [['2024-01-01T00:00:00Z', essay()]]);
    const before = await askedBy('');
    expect(before.statements.length).toBeGreaterThan(0);
    await publishAt(s, admin, [['0001-06-01T00:00:00Z', essay({ tags: ['friends'] })]]);
    await s.deps.changes.caughtUp();
    expect(await askedBy('')).toEqual(before);
    const { years, statements } = await askedBy(member?.id ?? '');
    expect(years).toEqual([
      { year: 2024, count: 1 },
      { year: 1, count: 1 },
    ]);
    const spans = statements.map(statement => statement.split('"RawNode"').length);
    expect(Math.max(...spans)).toBeLessThan(12 * 2024);
  });

  it('each post leads to the older and the newer one that the viewer may read', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const [a = '', b = '', c = ''] = await publishAt(s, admin, [
      ['2024-01-01T00:00:00Z', essay({ title: 'A' })],
      ['2024-01-02T00:00:00Z', essay({ title: 'B', tags: ['friends'] })],
      ['2024-01-03T00:00:00Z', shortPost('C')],
    ]);
    const { post: draft } = await s.call(admin, 'createPost', { ...essay({ title: 'D' }), isDraft: true });
    const titles = async (who: Person, postId: string) => {
      const { older, newer } = await s.call(who, 'getNeighbours', { postId });
      return [older?.title, newer?.title];
    };
    expect(await titles(null, a)).toEqual([undefined, 'C']);
    expect(await titles(null, c)).toEqual(['A', undefined]);
    expect(await titles(member, a)).toEqual([undefined, 'B']);
    expect(await titles(member, b)).toEqual(['A', 'C']);
    expect(await titles(admin, draft.id)).toEqual([undefined, undefined]);
    expect(await refusal(titles(null, b))).toBe('permission-denied');
    expect(await refusal(titles(member, draft.id))).toBe('not-found');
  });

  it('a post of pictures without words is named by its date wherever posts are listed by name', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await uploaded(s, admin, 'IMG_2026.png');
    const [pictures = '', words = ''] = await publish(
      s,
      admin,
      shortPost(`![](${url})`),
      shortPost('Some words.'),
    );
    const member = await s.member();
    await s.call(member, 'addComment', { postId: pictures, content: 'A comment.' });
    await s.call(member, 'setLike', { postId: pictures, liked: true });
    const date = 'January 1, 2026';
    expect(await s.call(null, 'getArchive', {})).toMatchObject({
      posts: [{ title: 'Some words.' }, { title: date }],
    });
    expect(await s.call(null, 'getNeighbours', { postId: words })).toMatchObject({ older: { title: date } });
    expect((await s.call(null, 'search', { q: '', withPictures: true })).posts).toMatchObject([
      { excerpt: [{ text: date }] },
    ]);
    expect((await s.call(member, 'search', { q: 'comment' })).comments).toMatchObject([{ postTitle: date }]);
    expect(await s.call(member, 'getLikedPosts', {})).toMatchObject({
      likes: [{ postTitle: date, isCut: false }],
    });
    expect((await s.call(admin, 'listPosts', {})).posts.map(({ excerpt }) => excerpt)).toEqual([
      'Some words.',
      date,
    ]);
  });

  it('the neighbours of a post that somebody may not read are those of one that does not exist, byte for byte', async () => {
    const s = await site();
    const [admin, member, other] = [
      await s.admin(),
      await s.member(['friends']),
      await s.member(['work'], 'lucy'),
    ];
    const ids = await publishAt(s, admin, [
      ['2023-05-01T00:00:00Z', essay({ title: 'Oldest' })],
      ['2024-03-02T00:00:00Z', essay({ title: 'Middle' })],
      ['2024-03-20T00:00:00Z', shortPost('Newest')],
    ]);
    const everybody = async () => [await answers(s, null, ids), await answers(s, other, ids)];
    const before = await everybody();
    const seenBefore = await answers(s, member, ids);
    const closed = ['2020-01-01', '2023-05-02', '2024-03-10', '2024-03-20', '2026-01-01'].map(
      (day): [string, object] => [`${day}T00:00:00Z`, essay({ title: 'closedword', tags: ['friends'] })],
    );
    const hidden = await publishAt(s, admin, closed);
    expect(await everybody()).toEqual(before);
    expect(await answers(s, member, ids)).not.toEqual(seenBefore);
    for (const postId of hidden) await s.call(admin, 'deletePost', { postId });
    expect(await answers(s, member, ids)).toEqual(seenBefore);
  });

  it('the archive follows a new title, date and combination of tags at once, also in what is cached for visitors', async () => {
    const [s, admin] = await siteWithAdmin();
    const [a = '', b = ''] = await publishAt(s, admin, [
      ['2024-01-01T00:00:00Z', essay({ title: 'Before' })],
      ['2024-01-02T00:00:00Z', essay({ title: 'Second' })],
    ]);
    const page = async (path: string) => await (await s.request(path)).text();
    expect(await page(`/post/${b}`)).toContain('Before');
    expect(await page('/archive')).toContain('Before');
    await s.call(admin, 'updatePost', { ...essay({ title: 'Afterwards' }), postId: a });
    expect(await page(`/post/${b}`)).toContain('Afterwards');
    expect(await page('/archive')).toContain('Afterwards');
    await s.call(admin, 'updatePost', { ...essay({ title: 'Afterwards', tags: ['friends'] }), postId: a });
    expect(await page(`/post/${b}`)).not.toContain('Afterwards');
    expect(await page('/archive')).not.toContain('Afterwards');
  });
});
