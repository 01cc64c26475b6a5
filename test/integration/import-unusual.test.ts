import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { Outage, outages } from '../../server/db/outage.ts';
import type { Tables } from '../../server/db/tables.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { importItems, person, post, sourceOf } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { importedPost } from '../support/imports.ts';
import { linkFor } from '../support/invitations.ts';
import { png } from '../support/png.ts';

/** Text that no database can make much shorter. */
const long = (about: string) =>
  Array.from({ length: 200 }, (_, index) =>
    createHash('sha256')
      .update(about + index)
      .digest('hex'),
  ).join('');

/** Leaves a transaction open for as long as a hundred queries take. */
async function slowly(trx: Kysely<Tables>): Promise<void> {
  for (let count = 0; count < 100; count += 1) await trx.selectFrom('tags').select('id').execute();
}

/** As {@link slowly}, and transactions that begin meanwhile go on in the same moment. */
function together(): (trx: Kysely<Tables>) => Promise<void> {
  let first: Promise<void> | undefined;
  return async trx => {
    first ??= slowly(trx);
    await first;
  };
}

describeEngines(({ site, siteWithAdmin }) => {
  it('an import of unusual records keeps every comment once, also those of one id, without an id, and with an id that is taken here', async () => {
    const s = await site();
    const comment = (content: string, fields: { id?: string; keepId?: string } = {}) => ({
      id: '',
      authorName: 'Quincey',
      time: 1,
      ...fields,
      content,
    });
    const known = { id: '7', keepId: 'known' };
    const comments = [comment('a'), comment('b'), comment('b'), comment('c', known), comment('d', known)];
    expect(await importItems(s, [post({ comments })])).toMatchObject([{ outcome: 'created', comments: 4 }]);
    const edited = post({ comments: [...comments, comment('e')], content: 'Edited.' });
    expect(await importItems(s, [edited])).toMatchObject([{ outcome: 'updated', comments: 1 }]);
    const other = post({ id: 'two', comments: [comment('f', known)] });
    expect(await importItems(s, [other])).toMatchObject([{ outcome: 'created', comments: 1 }]);
    const rows = await s.deps.db
      .selectFrom('comments')
      .select(['id', 'content'])
      .orderBy('content')
      .execute();
    expect(rows.map(row => row.content)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(rows.find(row => row.id === 'known')?.content).toBe('c');
    expect(await examine(s.deps)).toEqual([]);
  });

  it('an import of unusual records is not ended by texts and times that a database or a page cannot hold', async () => {
    const [s, admin] = await siteWithAdmin();
    const end = 8_640_000_000_000_000;
    const items = [
      person('ana', { id: 'a\0', name: 'A\0na', createdAt: 1e300, decidedAt: 1.5 }),
      post({
        id: 'one\0',
        title: 'O\0ne',
        description: 'One\ud800.',
        tags: ['o\0ne'],
        date: end,
        editedAt: -end,
        fallbackDate: Number.NaN,
        comments: [{ id: '\0', authorName: 'Quin\0cey', content: 'Yes.\0', time: end, personId: 'b\0' }],
      }),
      post({ id: long('post'), addresses: [`/${'李'.repeat(999)}`, '/two'], content: 'Two.' }),
    ];
    expect((await importItems(s, items)).map(({ outcome }) => outcome)).toEqual(
      Array.from(items, () => 'created'),
    );
    expect((await importItems(s, items)).map(({ outcome }) => outcome)).toEqual(
      Array.from(items, () => 'unchanged'),
    );
    const { posts } = await s.call(admin, 'getPosts', {});
    expect(posts.map(({ title }) => title)).toEqual(expect.arrayContaining(['One', null]));
    const { comments } = await s.call(admin, 'listComments', {
      postId: posts.find(one => one.title)?.id ?? '',
    });
    expect(comments).toMatchObject([{ content: 'Yes.', createdAt: '1970-01-01T00:00:00.000Z' }]);
  });

  it('an import keeps thirty of more than thirty marks on one letter, and says so of a text', async () => {
    const [s, admin] = await siteWithAdmin();
    const marked = (marks: number) => `a${'\u0301'.repeat(marks)}`;
    const comments = [{ id: '1', authorName: 'Mina', content: marked(40), time: 0 }];
    const items = [
      post({ title: marked(40), content: marked(40), comments }),
      post({ id: 'two', content: 'Two.' }),
    ];
    expect(await importItems(s, items)).toMatchObject([
      { outcome: 'created', notes: ['of more than 30 marks on one letter the first 30 were kept'] },
      { outcome: 'created', notes: [] },
    ]);
    const { posts } = await s.call(admin, 'getPosts', {});
    const postId = posts.find(({ title }) => title === marked(30))?.id ?? '';
    expect((await s.call(admin, 'getPost', { postId, withContent: true })).post.content).toBe(marked(30));
    const stored = s.deps.db.selectFrom('comments').select('content');
    expect(await stored.execute()).toEqual([{ content: marked(30) }]);
  });

  it('an import of unusual records leaves out a post at which nobody foresaw an error, says which, and imports all others', async () => {
    const s = await site();
    const broken = post({
      id: 'broken',
      content: '![](a.png)',
      isOwnAddress: () => true,
      findFile: async () => {
        throw new RangeError('Invalid array length');
      },
    });
    expect(await importItems(s, [broken, post({ id: 'whole' })])).toMatchObject([
      {
        source: 'broken',
        outcome: 'skipped',
        reason: 'it could not be imported because of an error that was not foreseen (Invalid array length)',
      },
      { source: 'whole', outcome: 'created' },
    ]);
  });

  it('an import of unusual records gives people of one name usernames of their own, and addresses of their own where they have none', async () => {
    const s = await site();
    const nobody = { email: '', username: '', name: '李' };
    const items = [person('a-b', nobody), person('ab', nobody), person('A b', nobody)];
    for (const isDryRun of [true, false]) {
      expect(await importItems(s, items, { isDryRun })).toMatchObject(
        Array.from(items, () => ({ outcome: 'created' })),
      );
    }
    const rows = await s.deps.db.selectFrom('users').select('username').orderBy('username').execute();
    expect(rows.map(row => row.username)).toEqual(['member', 'member2', 'member3']);
  });

  it('an import of unusual records takes nobody without an address for somebody of another source', async () => {
    const s = await site();
    const items = (fullName: string) => [
      person('1', { email: '', username: '', name: fullName }),
      post({ personId: '1', isDraft: true }),
    ];
    await importItems(s, items('Mina Harker'), { name: 'walks' });
    expect(await importItems(s, items('Lucy Westenra'), { name: 'hills' })).toMatchObject([
      { outcome: 'created' },
      { outcome: 'created' },
    ]);
    const posts = await s.deps.db
      .selectFrom('posts')
      .innerJoin('users', 'users.id', 'posts.author_id')
      .select('users.name')
      .orderBy('users.name')
      .execute();
    expect(posts.map(({ name }) => name)).toEqual(['Lucy Westenra', 'Mina Harker']);
  });

  it('an import of unusual records ends while the store or the database cannot be reached, and then brings each post whole', async () => {
    const s = await site();
    const withPicture = post({
      content: '![](a.png)',
      isOwnAddress: () => true,
      findFile: async () => ({ name: 'a.png', size: png.length, read: () => Readable.from([png]) }),
    });
    const { files } = s.deps;
    s.deps.files = {
      ...files,
      put: async () => {
        throw new Outage(outages.store, new Error('on purpose'));
      },
    };
    await expect(importItems(s, [withPicture])).rejects.toThrow(outages.store);
    s.deps.files = files;
    const holdRights = async () => {
      throw new Outage(outages.gone, new Error('on purpose'));
    };
    await expect(importItems(s, [withPicture], { holdRights })).rejects.toThrow(outages.gone);
    expect(await importItems(s, [withPicture])).toMatchObject([{ outcome: 'created', files: 1, notes: [] }]);
  });

  it('an import of unusual records takes no tag for a group that an invitation gives', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['friends', 'family']) await s.call(admin, 'addTag', { name });
    await linkFor(s, admin, 1, ['friends']);
    expect(await importItems(s, [post({ audience: ['friends', 'family'] })])).toMatchObject([
      { tags: ['friends 2', 'family'] },
    ]);
  });

  it('an import of unusual records takes no tag for a group that the post before carries, which takes long to be saved', async () => {
    const s = await site();
    const items = [post({ tags: ['members'] }), post({ id: 'two', audience: ['members'] })];
    const tagged = await importItems(s, items, { holdRights: slowly });
    expect(tagged).toMatchObject([{ tags: ['members'] }, { tags: ['members 2'] }]);
    expect((await importedPost(s, 'walks/two')).tags).toEqual(['members 2']);
  });

  it('an import of unusual records takes the last of two posts of one id, even while the first takes long to be saved', async () => {
    const s = await site();
    const items = [post({ content: 'First.' }), post({ content: 'Last.' })];
    const imported = await importItems(s, items, { holdRights: together() });
    expect(imported.map(({ outcome }) => outcome)).not.toContain('skipped');
    expect((await importedPost(s, 'walks/one')).content).toBe('Last.');
  });

  it('an import of unusual records reports nothing of what it could not save because it lost the right to', async () => {
    const s = await site();
    const waiting = together();
    const holdRights = async (trx: Kysely<Tables>) => {
      await waiting(trx);
      throw new RangeError('The right is lost.');
    };
    const source = sourceOf([post({}), post({ id: 'two' })]);
    const run = runImport({ ...s.deps, holdRights }, source, { authorId: null, isDryRun: false });
    await expect(run.next()).rejects.toThrow('The right is lost.');
  });

  it('an import of unusual records keeps to the tags that it has chosen for groups while they are renamed and deleted', async () => {
    const [s, admin] = await siteWithAdmin();
    const items = [
      post({ audience: ['friends', 'family', 'all'] }),
      person('mina', { audience: ['friends', 'family'] }),
      { kind: 'settings', defaultAudience: ['all'] } as const,
      post({ id: 'two', audience: ['friends'] }),
      post({ id: 'three', audience: ['family'] }),
    ];
    const run = runImport(s.deps, sourceOf(items), { authorId: null, isDryRun: false });
    await run.next();
    const { tags } = await s.call(admin, 'getManagedTags', {});
    const idOf = (name: string) => tags.find(tag => tag.name === name)?.id ?? '';
    for (const name of ['friends', 'all']) {
      await s.call(admin, 'renameTag', { tagId: idOf(name), name: `${name} of old` });
      await s.call(admin, 'addTag', { name });
    }
    const reader = await s.member(['friends']);
    await s.call(admin, 'deleteTag', { tagId: idOf('family') });
    for await (const { outcome } of run) expect(outcome).toBe('created');

    expect((await importedPost(s, 'walks/two')).tags).toEqual(['friends of old']);
    expect((await importedPost(s, 'walks/three')).tags).toEqual(['family']);
    for (const person of [null, reader]) expect((await s.call(person, 'getPosts', {})).posts).toEqual([]);
    const mina = s.deps.db
      .selectFrom('approved_tags')
      .innerJoin('users', 'users.id', 'user_id')
      .select('tag_id')
      .where('username', '=', 'mina');
    expect((await mina.execute()).map(row => row.tag_id).sort()).toEqual(
      [idOf('friends'), idOf('family')].sort(),
    );
    const open = await s.deps.db.selectFrom('default_tags').select('tag_id').execute();
    expect(open).toEqual([{ tag_id: idOf('all') }]);
    // A deletion is not taken back by what comes in later.
    const listed = (await s.call(admin, 'getManagedTags', {})).tags.map(({ name }) => name);
    expect(listed).toEqual(['all', 'all of old', 'friends', 'friends of old']);
  });
});
