import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { postsRetaggedAtOnce, tagsPerPost } from '../../contract/constants.ts';
import type { Retag } from '../../contract/retagging.ts';
import { indexWaiting } from '../../server/search/index-posts.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';
import { waitingLocks } from '../support/waiting-locks.ts';

const names = ['a', 'b', 'c', 'd'];
const someNames = fc.uniqueArray(fc.constantFrom(...names));

const noEffect = {
  visitors: { gained: 0, lost: 0 },
  members: { gained: 0, gaining: 0, lost: 0, losing: 0 },
  untagged: { published: 0, drafts: 0 },
};

/** Changes of tags by their names. */
function retagging(s: Site, admin: Person) {
  const idsOf = async (some: readonly string[]) => {
    const { tags } = await s.call(admin, 'getManagedTags', {});
    return some.map(name => tags.find(tag => tag.name === name)?.id ?? 'none');
  };
  const changeOf = async (postIds: string[], add: readonly string[], remove: readonly string[] = []) => ({
    postIds,
    addedTagIds: await idsOf(add),
    removedTagIds: await idsOf(remove),
  });
  const seenOf = async (change: Retag) => (await s.call(admin, 'previewRetag', change)).effect;
  return {
    changeOf,
    seenOf,
    retag: async (...args: Parameters<typeof changeOf>) => {
      const change = await changeOf(...args);
      return await s.call(admin, 'retagPosts', { ...change, seen: await seenOf(change) });
    },
  };
}

/** The ids of the published posts that somebody may read: at most ten here. */
async function readable(s: Site, person: Person): Promise<Set<string>> {
  const { posts } = await s.call(person, 'getPosts', {});
  return new Set(posts.map(({ id }) => id));
}

const without = (ids: ReadonlySet<string>, others: ReadonlySet<string> | undefined) =>
  new Set([...ids].filter(id => !others?.has(id)));

describeEngines(({ siteWithAdmin, engine }) => {
  const siteWithTags = async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of names) await s.call(admin, 'addTag', { name });
    return [s, admin] as const;
  };

  it('what a change of tags opens and closes is what visitors and members read then, for any tags and any rights', async () => {
    const [s, admin] = await siteWithTags();
    const members = [
      await s.member(names),
      await s.member(['a']),
      await s.member(['b', 'c']),
      await s.member(),
    ];
    const everybody: Person[] = [null, ...members];
    const combinations = [[], ['a'], ['b'], ['a', 'b'], ['b', 'c'], ['c', 'd'], ['d']];
    const ids = await publish(s, admin, ...combinations.map(tags => shortPost(`for ${tags}`, tags)));
    const { retag, changeOf, seenOf } = retagging(s, admin);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(ids, { minLength: 1 }),
        someNames,
        someNames,
        someNames,
        async (...given) => {
          const [postIds, add, removed, defaults] = given;
          await s.setDefaultTags(defaults);
          const remove = removed.filter(name => !add.includes(name));
          const told = await seenOf(await changeOf(postIds, add, remove));
          const then = await Promise.all(everybody.map(one => readable(s, one)));
          await retag(postIds, add, remove);
          const now = await Promise.all(everybody.map(one => readable(s, one)));
          const gains = now.map((read, index) => without(read, then[index]));
          const losses = then.map((read, index) => without(read, now[index]));
          const forVisitors = { gained: gains[0]?.size, lost: losses[0]?.size };
          // What visitors read then is no gain of members.
          const gained = gains.slice(1).map(read => without(read, now[0]));
          const lost = losses.slice(1);
          expect({ visitors: told.visitors, members: told.members }).toEqual({
            visitors: forVisitors,
            members: {
              gained: new Set(gained.flatMap(read => [...read])).size,
              gaining: gained.filter(read => read.size > 0).length,
              lost: new Set(lost.flatMap(read => [...read])).size,
              losing: lost.filter(read => read.size > 0).length,
            },
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('tags are added to and removed from posts and drafts, others stay, versions rise, and the history says so', async () => {
    const [s, admin] = await siteWithTags();
    const draft = { ...shortPost('Draft.', ['b']), isDraft: true };
    const [one = '', two = '', three = '', other = ''] = await publish(
      s,
      admin,
      shortPost('One.', ['a', 'b']),
      shortPost('Two.'),
      draft,
      shortPost('Other.', ['b']),
    );
    const { retag, changeOf } = retagging(s, admin);
    const change = await changeOf([one, two, three], ['c'], ['b']);
    const preview = await s.call(admin, 'previewRetag', { ...change, addedTagIds: [], removedTagIds: [] });
    expect(preview).toMatchObject({ postCount: 3, effect: noEffect });
    expect(preview.tags.map(({ name, postCount }) => [name, postCount])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    // Nobody is mailed.
    await s.deps.db.deleteFrom('announcements').execute();
    expect(await retag([one, two, three], ['c'], ['b'])).toEqual({ changed: 3 });
    const read = async (postId: string) => {
      const { tags, version, isDraft } = (await s.call(admin, 'getPost', { postId })).post;
      return [tags, version, isDraft];
    };
    expect(await read(one)).toEqual([['a', 'c'], 2, false]);
    expect(await read(two)).toEqual([['c'], 2, false]);
    expect(await read(three)).toEqual([['c'], 2, true]);
    expect(await read(other)).toEqual([['b'], 1, false]);
    const { tags } = await s.call(admin, 'getManagedTags', {});
    expect(tags.map(tag => [tag.name, tag.publishedCount, tag.draftCount])).toEqual([
      ['a', 1, 0],
      ['b', 1, 0],
      ['c', 2, 1],
      ['d', 0, 0],
    ]);
    // What has the tags already does not change.
    s.wait(60_000);
    expect(await retag([one, two], ['a', 'c'])).toEqual({ changed: 1 });
    expect(await retag([one, two], ['a', 'c'])).toEqual({ changed: 0 });
    expect(await read(one)).toEqual([['a', 'c'], 2, false]);
    const { entries } = await s.call(admin, 'getHistory', { kind: 'posts-retagged' });
    expect(entries).toMatchObject([
      { posts: 1, gave: [{ name: 'a' }, { name: 'c' }], took: [] },
      { actor: { id: admin.id }, posts: 3, gave: [{ name: 'c' }], took: [{ name: 'b' }] },
    ]);
    expect(await s.deps.db.selectFrom('announcements').select('post_id').execute()).toEqual([]);
  });

  it('posts that lose their last tag are counted, published ones and drafts, because everybody may read them', async () => {
    const [s, admin] = await siteWithTags();
    const draft = { ...shortPost('Draft.', ['a']), isDraft: true };
    const ids = await publish(s, admin, shortPost('One.', ['a']), shortPost('Two.', ['a', 'b']), draft);
    await publish(s, admin, shortPost('None.'));
    const { changeOf, seenOf, retag } = retagging(s, admin);
    expect(await seenOf(await changeOf(ids, [], ['a']))).toMatchObject({
      visitors: { gained: 1, lost: 0 },
      untagged: { published: 1, drafts: 1 },
    });
    await retag(ids, [], ['a']);
    expect((await readable(s, null)).size).toBe(2);
  });

  it('a search finds a post by its new tag, and no longer for those who lose it', async () => {
    const [s, admin] = await siteWithTags();
    const [reader, other] = [await s.member(['a']), await s.member(['b'])];
    const ids = await publish(s, admin, shortPost('Heron.', ['a']), shortPost('Heron, too.', ['a']));
    const found = async (person: Person, q: string) => (await s.call(person, 'search', { q })).posts.length;
    expect([await found(reader, 'heron'), await found(other, 'heron')]).toEqual([2, 0]);
    const { retag } = retagging(s, admin);
    await retag(ids, ['b'], ['a']);
    expect([await found(reader, 'heron'), await found(other, 'heron')]).toEqual([0, 2]);
    // By the name of a tag a little later.
    await indexWaiting(s.deps);
    expect([await found(other, 'b'), await found(admin, 'a')]).toEqual([2, 0]);
    await retag(ids, [], ['b']);
    expect(await found(null, 'heron')).toBe(2);
  });

  it('members, authors and visitors change no tags of several posts, and learn nothing of a preview', async () => {
    const [s, admin] = await siteWithTags();
    const [postId = ''] = await publish(s, admin, shortPost('One.', ['a']));
    const author = await s.member(['a']);
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    const { changeOf } = retagging(s, admin);
    const change = await changeOf([postId], ['b']);
    for (const person of [null, await s.member(['a']), author]) {
      const expected = person === null ? 'unauthenticated' : 'permission-denied';
      expect(await refusal(s.call(person, 'previewRetag', change))).toBe(expected);
      expect(await refusal(s.call(person, 'retagPosts', { ...change, seen: noEffect }))).toBe(expected);
    }
  });

  it('a change is refused if it would open or close more than its admin has seen', async () => {
    const [s, admin] = await siteWithTags();
    const [one = '', two = ''] = await publish(s, admin, shortPost('One.', ['a']), shortPost('Two.', ['b']));
    const { changeOf, seenOf } = retagging(s, admin);
    const change = await changeOf([one, two], [], ['a']);
    const seen = await seenOf(change);
    await s.call(admin, 'updatePost', { ...shortPost('Two.', ['a']), postId: two });
    expect(await refusal(s.call(admin, 'retagPosts', { ...change, seen }))).toBe('aborted');
    expect((await readable(s, null)).size).toBe(0);
    await s.call(admin, 'retagPosts', { ...change, seen: await seenOf(change) });
    expect((await readable(s, null)).size).toBe(2);
  });

  it('deleted posts are left out of the effect and of the count', async () => {
    const [s, admin] = await siteWithTags();
    const [one = '', two = ''] = await publish(s, admin, shortPost('One.', ['a']), shortPost('Two.', ['a']));
    await s.call(admin, 'deletePost', { postId: two });
    const { changeOf, retag } = retagging(s, admin);
    const change = await changeOf([one, two], [], ['a']);
    expect(await s.call(admin, 'previewRetag', change)).toMatchObject({
      postCount: 1,
      tags: [{ name: 'a', postCount: 1 }],
      effect: { visitors: { gained: 1, lost: 0 } },
    });
    expect(await retag([one, two], [], ['a'])).toEqual({ changed: 1 });
    expect(await retag([two], ['b'])).toEqual({ changed: 0 });
  });

  it('a deleted tag may be removed and not added, and no tag may be both', async () => {
    const [s, admin] = await siteWithTags();
    const [one = ''] = await publish(s, admin, shortPost('One.', ['a', 'b']));
    const { changeOf, seenOf } = retagging(s, admin);
    const [adding, removing] = [await changeOf([one], ['b']), await changeOf([one], [], ['b'])];
    await s.call(admin, 'deleteTag', { tagId: removing.removedTagIds[0] ?? '' });
    expect(await refusal(s.call(admin, 'retagPosts', { ...adding, seen: noEffect }))).toBe('not-found');
    await s.call(admin, 'retagPosts', { ...removing, seen: await seenOf(removing) });
    expect((await s.call(admin, 'getPost', { postId: one })).post.tags).toEqual(['a']);
    const both = await changeOf([one], ['c'], ['c']);
    expect(await refusal(s.call(admin, 'previewRetag', both))).toBe('invalid-argument');
  });

  it('a post gets no more tags than it may have, and more posts at once are refused', async () => {
    const [s, admin] = await siteWithTags();
    const many = Array.from({ length: tagsPerPost }, (_, index) => `tag ${index}`);
    const [full = '', one = ''] = await publish(s, admin, shortPost('Full.', many), shortPost('One.', ['b']));
    const { changeOf, retag } = retagging(s, admin);
    const change = await changeOf([full, one], ['a']);
    await expect(s.call(admin, 'retagPosts', { ...change, seen: noEffect })).rejects.toThrow(
      `A post has at most ${tagsPerPost} tags; 1 post would have more.`,
    );
    expect((await s.call(admin, 'getPost', { postId: one })).post.tags).toEqual(['b']);
    await retag([full, one], ['a'], ['tag 0']);
    expect((await s.call(admin, 'getPost', { postId: full })).post.tags).toHaveLength(tagsPerPost);
    const ids = Array.from({ length: postsRetaggedAtOnce + 1 }, (_, index) => `post${index}`);
    const refused = s.call(admin, 'previewRetag', await changeOf(ids, ['a']));
    await expect(refused).rejects.toThrow(`At most ${postsRetaggedAtOnce} posts are changed at once.`);
  });

  it('an editor that was open before is told that the post was saved elsewhere', async () => {
    const [s, admin] = await siteWithTags();
    const [postId = ''] = await publish(s, admin, shortPost('One.', ['a']));
    const { version } = (await s.call(admin, 'getPost', { postId })).post;
    await retagging(s, admin).retag([postId], ['b']);
    const late = s.call(admin, 'updatePost', { ...shortPost('Late.', ['a']), postId, version });
    expect(await refusal(late)).toBe('aborted');
  });

  // SQLite writes one transaction after the other.
  if (engine === 'sqlite') return;

  it('a post that is published while a change waits for it is not opened unseen', async () => {
    const [s, admin] = await siteWithTags();
    const { db } = s.deps;
    const draft = { ...shortPost('Draft.', ['a']), isDraft: true };
    const [postId = ''] = await publish(s, admin, draft);
    const { changeOf, seenOf } = retagging(s, admin);
    const change = await changeOf([postId], [], ['a']);
    const seen = await seenOf(change);
    const { waiting } = await db.transaction().execute(async trx => {
      const { tag_set_id } = await trx
        .updateTable('posts')
        .set({ published_at: s.deps.clock() })
        .where('id', '=', postId)
        .returning('tag_set_id')
        .executeTakeFirstOrThrow();
      await trx.updateTable('tag_sets').set({ published_count: 1 }).where('id', '=', tag_set_id).execute();
      const waiting = refusal(s.call(admin, 'retagPosts', { ...change, seen }));
      const locks = async () => (await sql.raw(waitingLocks).execute(db)).rows;
      await expect.poll(locks, { timeout: 60_000 }).toHaveLength(1);
      return { waiting };
    });
    expect(await waiting).toBe('aborted');
    expect((await readable(s, null)).size).toBe(0);
  });
});
