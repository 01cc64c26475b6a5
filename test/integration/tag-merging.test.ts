import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { merging } from '../support/merging.ts';
import type { Person, Site } from '../support/site.ts';
import { refusal } from '../support/site.ts';

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

  it('an account that loses the tag while a merge waits for it does not get the other', async () => {
    const [s, admin] = await siteWithAdmin();
    const { db } = s.deps;
    for (const name of ['a', 'b']) await s.call(admin, 'addTag', { name });
    const [lucy, erna] = [await s.member(['a']), await s.member(['a'])];
    const { merge, seen } = await merging(s, admin)('a', 'b');
    const merged = await db.transaction().execute(async trx => {
      await trx.selectFrom('users').select('id').where('id', '=', lucy.id).forUpdate().execute();
      await trx.deleteFrom('approved_tags').where('user_id', '=', lucy.id).execute();
      const merging = s.call(admin, 'mergeTag', { ...merge, seen });
      const waiting = async () => (await sql`select 1 from pg_locks where not granted`.execute(db)).rows;
      await expect.poll(waiting, { timeout: 60_000 }).toHaveLength(1);
      return { merging };
    });
    await merged.merging;
    const rows = db.selectFrom('approved_tags').select('user_id').where('tag_id', '=', merge.intoId);
    expect(await rows.execute()).toEqual([{ user_id: erna.id }]);
  });
});
