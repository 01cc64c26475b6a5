import { sql, type Transaction } from 'kysely';
import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Tables } from '../../server/db/tables.ts';
import { changePublishedCount } from '../../server/tags/write.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { merging } from '../support/merging.ts';
import { insertUser } from '../support/people.ts';
import type { Person, Site } from '../support/site.ts';
import { refusal } from '../support/site.ts';
import { waitingLocks } from '../support/waiting-locks.ts';

describeEngines(({ siteWithAdmin, engine }) => {
  const contents = async (s: Site, person: Person | null) => {
    const { posts } = await s.call(person, 'getPosts', {});
    return posts.map(post => ('html' in post ? post.html.replaceAll(/<[^>]*>/g, '').trim() : '')).sort();
  };

  it('a merge gives posts, drafts, users and invitations the other tag, opens what its preview says, and is in the history', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['books', 'books 2', 'family']) await s.call(admin, 'addTag', { name });
    const post = async (content: string, tags: string[], isDraft = false) =>
      (await publish(s, admin, { ...shortPost(content, tags), isDraft }))[0] ?? '';
    const two = await post('Two.', ['books 2']);
    await post('One.', ['books']);
    await post('Both.', ['books', 'books 2']);
    await post('Family.', ['books 2', 'family']);
    const draft = await post('Draft.', ['books 2'], true);
    const [one, second, both, none] = [
      await s.member(['books']),
      await s.member(['books 2']),
      await s.member(['books', 'books 2']),
      await s.member(),
    ];
    await s.call(admin, 'createInvitations', { tags: ['books 2'], for: { uses: 2 } });
    const preview = merging(s, admin);
    const { merge, seen } = await preview('books 2', 'books');
    // One and Both open to the second member, Two and Both to the first.
    expect(seen).toEqual({
      visitors: { gained: 0, lost: 0 },
      members: { gained: 3, gaining: 2, lost: 0, losing: 0 },
      invitations: 1,
    });
    const { tag } = await s.call(admin, 'mergeTag', { ...merge, seen });
    expect(tag).toMatchObject({ name: 'books', publishedCount: 4, draftCount: 1, userCount: 3 });
    for (const person of [one, second, both])
      expect(await contents(s, person)).toEqual(['Both.', 'One.', 'Two.']);
    for (const person of [none, null]) expect(await contents(s, person)).toEqual([]);
    const read = async (postId: string) => (await s.call(admin, 'getPost', { postId })).post;
    expect(await read(two)).toMatchObject({ tags: ['books'], version: 2 });
    expect(await read(draft)).toMatchObject({ tags: ['books'], isDraft: true });
    expect((await s.call(admin, 'getManagedTags', {})).tags.map(({ name }) => name)).toEqual([
      'books',
      'family',
    ]);
    const { invitations } = await s.call(admin, 'listInvitations', {});
    expect(invitations).toMatchObject([{ tags: ['books'] }]);
    const { entries } = await s.call(admin, 'getHistory', { kind: 'tag-merged' });
    expect(entries).toMatchObject([{ actor: { id: admin.id }, thing: { name: 'books 2' }, after: 'books' }]);
    expect((await s.call(admin, 'getHistory', { kind: 'tags-changed' })).entries).toHaveLength(2);
    // A tag of that name is a new beginning: nobody and nothing has it.
    const { tag: again } = await s.call(admin, 'addTag', { name: 'books 2' });
    expect(again).toMatchObject({ publishedCount: 0, draftCount: 0, userCount: 0 });
  });

  it('a merge into a default tag opens posts to visitors, and one of a default tag closes them, as the preview says', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['open', 'closed']) await s.call(admin, 'addTag', { name });
    await s.call(admin, 'setDefaultTags', { tags: ['open'] });
    await publish(s, admin, shortPost('Open.', ['open']));
    await publish(s, admin, shortPost('Closed.', ['closed']));
    await s.member(['closed']);
    await s.member();
    const preview = merging(s, admin);
    expect((await preview('closed', 'open')).seen).toMatchObject({
      visitors: { gained: 1, lost: 0 },
      members: { gained: 0, gaining: 0, lost: 0, losing: 0 },
    });
    const { merge, seen } = await preview('open', 'closed');
    // Of the two members one has the other tag.
    expect(seen).toMatchObject({ visitors: { gained: 0, lost: 1 }, members: { lost: 1, losing: 1 } });
    expect(await contents(s, null)).toEqual(['Open.']);
    await s.call(admin, 'mergeTag', { ...merge, seen });
    expect(await contents(s, null)).toEqual([]);
    expect((await s.call(admin, 'getDefaultTags', {})).tags).toEqual([]);
  });

  it('a merge changes the tags of each account as an admin would: a tag that was withheld is given, and the merged one is withheld', async () => {
    const [s, admin] = await siteWithAdmin();
    const { db } = s.deps;
    for (const name of ['a', 'b']) await s.call(admin, 'addTag', { name });
    const lucy = await s.member(['a', 'b'], 'lucy');
    await s.call(admin, 'setApprovedTags', { userId: lucy?.id ?? '', tags: ['a'] });
    const erna = await s.member(['a', 'b'], 'erna');
    const { merge, seen } = await merging(s, admin)('a', 'b');
    s.wait(1_000);
    await s.call(admin, 'mergeTag', { ...merge, seen });
    const tagsIn = async (table: 'approved_tags' | 'withheld_tags') => {
      const rows = db
        .selectFrom(table)
        .select(['user_id', 'tag_id'])
        .where('user_id', 'in', [lucy?.id, erna?.id]);
      return new Set((await rows.execute()).map(row => `${row.user_id} ${row.tag_id}`));
    };
    const both = (tagId: string) => new Set([lucy, erna].map(person => `${person?.id} ${tagId}`));
    expect(await tagsIn('approved_tags')).toEqual(both(merge.intoId));
    expect(await tagsIn('withheld_tags')).toEqual(both(merge.tagId));
    const { entries } = await s.call(admin, 'getHistory', { kind: 'tags-changed' });
    const a = { id: merge.tagId, name: 'a' };
    const b = { id: merge.intoId, name: 'b' };
    expect(entries.slice(0, 2).map(({ user, gave, took }) => ({ name: user?.name, gave, took }))).toEqual(
      expect.arrayContaining([
        { name: 'lucy', gave: [b], took: [a] },
        { name: 'erna', gave: [], took: [a] },
      ]),
    );
  });

  it('a merge for more accounts than one statement can write to the history is complete', async () => {
    const [s, admin] = await siteWithAdmin();
    const { db } = s.deps;
    for (const name of ['a', 'b']) await s.call(admin, 'addTag', { name });
    const { merge } = await merging(s, admin)('a', 'b');
    const ids = Array.from({ length: 600 }, (_, at) => `guest${at}`);
    for (const id of ids) await insertUser(db, { username: id, name: id, id }, 1);
    await db
      .insertInto('approved_tags')
      .values(ids.map(user_id => ({ user_id, tag_id: merge.tagId })))
      .execute();
    await s.call(admin, 'mergeTag', { ...merge, seen: await s.call(admin, 'previewTagMerge', merge) });
    const count = async (table: 'approved_tags' | 'history') =>
      (await db.selectFrom(table).select('user_id').where('user_id', 'like', 'guest%').execute()).length;
    expect([await count('approved_tags'), await count('history')]).toEqual([600, 600]);
  });

  it('a user who wanted no mails about a merged tag gets none about the other, unless they had it before', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['a', 'b']) await s.call(admin, 'addTag', { name });
    const preview = merging(s, admin);
    await publish(s, admin, shortPost('A.', ['a']), shortPost('B.', ['b']));
    const [one, both] = [await s.member(['a']), await s.member(['a', 'b'])];
    const { merge, seen } = await preview('a', 'b');
    const unwanted = { subscribed: true, tag: { id: merge.tagId, isWanted: false } };
    for (const person of [one, both]) await s.call(person, 'setSubscription', unwanted);
    await s.call(admin, 'mergeTag', { ...merge, seen });
    const rows = s.deps.db.selectFrom('unwanted_tags').select('user_id').where('tag_id', '=', merge.intoId);
    expect(await rows.execute()).toEqual([{ user_id: one.id }]);
  });

  it.each([
    { defaults: ['a'], keeps: true },
    { defaults: ['b'], keeps: false },
    { defaults: ['a', 'b'], keeps: false },
  ])(
    'a reader with the default tags $defaults who wants no mails about a keeps that wish for b: $keeps',
    async ({ defaults, keeps }) => {
      const [s, admin] = await siteWithAdmin();
      for (const name of ['a', 'b']) await s.call(admin, 'addTag', { name });
      await publish(s, admin, shortPost('A.', ['a']), shortPost('B.', ['b']));
      await s.setDefaultTags(defaults);
      const reader = await s.member(defaults.includes('a') ? [] : ['a']);
      const { merge, seen } = await merging(s, admin)('a', 'b');
      const tag = { id: merge.tagId, isWanted: false };
      await s.call(reader, 'setSubscription', { subscribed: true, tag });
      await s.call(admin, 'mergeTag', { ...merge, seen });
      const rows = s.deps.db.selectFrom('unwanted_tags').select('user_id').where('tag_id', '=', merge.intoId);
      expect(await rows.execute()).toEqual(keeps ? [{ user_id: reader?.id }] : []);
    },
  );

  it('a merge is refused for one tag, for a deleted one, and if it would open more than its admin has seen', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['a', 'b', 'gone']) await s.call(admin, 'addTag', { name });
    await s.member(['b']);
    const preview = merging(s, admin);
    const { merge, seen } = await preview('a', 'b');
    const { merge: gone } = await preview('gone', 'b');
    await s.call(admin, 'deleteTag', { tagId: gone.tagId });
    expect(await refusal(s.call(admin, 'mergeTag', { ...gone, seen }))).toBe('not-found');
    const self = { tagId: merge.tagId, intoId: merge.tagId };
    expect(await refusal(s.call(admin, 'mergeTag', { ...self, seen }))).toBe('invalid-argument');
    await publish(s, admin, shortPost('New.', ['a']));
    expect(await refusal(s.call(admin, 'mergeTag', { ...merge, seen }))).toBe('aborted');
    expect(await refusal(s.call(await s.member(), 'mergeTag', { ...merge, seen }))).toBe('permission-denied');
    await s.call(admin, 'mergeTag', await preview('a', 'b').then(now => ({ ...merge, seen: now.seen })));
  });

  it('an invitation that has ended is not counted', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['a', 'b']) await s.call(admin, 'addTag', { name });
    await s.call(admin, 'createInvitations', { tags: ['a'], for: { uses: 2 } });
    const preview = merging(s, admin);
    expect((await preview('a', 'b')).seen.invitations).toBe(1);
    await s.deps.db.updateTable('invitations').set({ expires_at: 1 }).execute();
    expect((await preview('a', 'b')).seen.invitations).toBe(0);
  });

  // SQLite writes one transaction after the other.
  if (engine === 'sqlite') return;

  /**
   * Merges a into b while another transaction has done something that it waits for, which commits then.
   */
  const mergeAfter = async (s: Site, admin: Person, act: (trx: Transaction<Tables>) => Promise<unknown>) => {
    const { db } = s.deps;
    const { merge, seen } = await merging(s, admin)('a', 'b');
    const started = await db.transaction().execute(async trx => {
      await act(trx);
      const merged = s.call(admin, 'mergeTag', { ...merge, seen }).then(
        () => 'merged',
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      );
      const waiting = async () => (await sql.raw(waitingLocks).execute(db)).rows;
      await expect.poll(waiting, { timeout: 60_000 }).toHaveLength(1);
      return { merged };
    });
    const having = async (tagId: string) => {
      const rows = db.selectFrom('approved_tags').select('user_id').where('tag_id', '=', tagId);
      return (await rows.execute()).map(row => row.user_id);
    };
    return { outcome: await started.merged, a: await having(merge.tagId), b: await having(merge.intoId) };
  };
  const siteWithTags = async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['a', 'b']) await s.call(admin, 'addTag', { name });
    return [s, admin] as const;
  };

  it('an account that loses the tag while a merge waits for it does not get the other', async () => {
    const [s, admin] = await siteWithTags();
    const [lucy, erna] = [await s.member(['a']), await s.member(['a'])];
    const { outcome, a, b } = await mergeAfter(s, admin, async trx => {
      await trx
        .selectFrom('users')
        .select('id')
        .where('id', '=', lucy?.id ?? '')
        .forUpdate()
        .execute();
      await trx
        .deleteFrom('approved_tags')
        .where('user_id', '=', lucy?.id ?? '')
        .execute();
    });
    expect({ outcome, a, b }).toEqual({ outcome: 'merged', a: [], b: [erna?.id] });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'tags-changed' });
    expect(entries.map(({ user }) => user?.id)).toEqual([erna?.id]);
  });

  it('a merge is refused if somebody else gets the tag while it waits, and both tags stay as they are', async () => {
    const [s, admin] = await siteWithTags();
    const [lucy, erna] = [await s.member(), await s.member(['a'])];
    const { id: tagId = '' } =
      (await s.call(admin, 'getManagedTags', {})).tags.find(tag => tag.name === 'a') ?? {};
    const { outcome, a, b } = await mergeAfter(s, admin, async trx => {
      await trx
        .selectFrom('users')
        .select('id')
        .where('id', '=', lucy?.id ?? '')
        .forUpdate()
        .execute();
      await trx
        .insertInto('approved_tags')
        .values({ user_id: lucy?.id ?? '', tag_id: tagId })
        .execute();
    });
    expect(outcome).toBe('aborted');
    expect([new Set(a), b]).toEqual([new Set([lucy?.id, erna?.id]), []]);
  });

  it('a merge is refused if a draft with the tag is published while it waits', async () => {
    const [s, admin] = await siteWithTags();
    await s.member(['b']);
    const [draft = ''] = await publish(s, admin, { ...shortPost('Draft.', ['a']), isDraft: true });
    const { outcome } = await mergeAfter(s, admin, async trx => {
      const { tag_set_id } = await trx
        .updateTable('posts')
        .set({ published_at: 1 })
        .where('id', '=', draft)
        .returning('tag_set_id')
        .executeTakeFirstOrThrow();
      await changePublishedCount(trx, tag_set_id, 1);
    });
    expect(outcome).toBe('aborted');
  });
});
