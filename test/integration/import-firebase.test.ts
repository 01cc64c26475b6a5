import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { addToReport, emptyReport } from '../../server/moving/import/report.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { firebaseImport, signIn, stateOf } from '../support/firebase-import.ts';
import { address, documents, emailOf, passwordOf, posts, users } from '../support/firebase-project.ts';
import { firestoreExport } from '../support/firestore-export.ts';
import type { Person } from '../support/site.ts';

const { write, writeProject, sourceOf, run } = firebaseImport();

/** What the original let somebody read: its rule, on its own data. */
function mayReadThere(userId: string | null, fields: Record<string, unknown>): boolean {
  const user = userId === null ? undefined : users[userId];
  if (user?.isAdmin === true) return true;
  if (fields.isDraft !== false || !Array.isArray(fields.tags)) return false;
  const approved = user?.isApproved === true ? (user.approvedTags as string[]) : [];
  return fields.tags.every(tag => tag === 'world' || approved.includes(tag));
}

describeEngines(({ site }) => {
  it('a Firebase project is imported completely, and everybody reads what they could read there, with their old password', async () => {
    const s = await site();
    await writeProject();
    const items = await run(s);
    const unusual = items.filter(item => item.outcome !== 'created' || item.notes.length > 0);
    expect(unusual.map(({ source, outcome, notes }) => [source, outcome, ...notes])).toEqual([
      ['settings', 'created', 'visitors may read, as there: world'],
      ['uidOfTheAdmin00000000001', 'created', 'mina is an admin, as there'],
      ['uidOfTheFamily00000000003', 'created', 'its username van helsing is van_helsing here'],
      ['posts/friendsPost00000000c', 'created', 'left out, of people without an account here: likes (1)'],
      [
        'posts/picturePost00000000j',
        'created',
        { file: `${address('posts/172_gone.png')}`, text: 'is not in the copy of the bucket' },
      ],
      ['posts/strangeTagsPost0000i', 'created', 'its tags cannot be read: it gets the tag “unreadable tags”'],
      ['posts/undecidedPost000000h', 'created', 'it does not say that it is published: it is a draft here'],
    ]);
    const people: Record<string, Person> = { visitor: null };
    for (const id of Object.keys(users)) people[id] = await signIn(s, id);
    for (const [name, person] of Object.entries(people)) {
      for (const [postId, fields] of Object.entries(posts)) {
        const read = await s.call(person, 'getPost', { postId }).then(
          () => true,
          () => false,
        );
        const there = mayReadThere(person === null ? null : name, fields);
        expect([name, postId, read]).toEqual([name, postId, there]);
      }
    }
    expect(await examine(s.deps)).toEqual([]);

    const admin = people.uidOfTheAdmin00000000001 ?? null;
    const open = await s.call(admin, 'getPost', { postId: 'openPost00000000000a' });
    expect(open.post).toMatchObject({
      createdAt: '2020-01-10T12:00:00.007Z',
      publishedAt: '2020-01-10T12:00:00.007Z',
      updatedAt: '2020-01-11T12:00:00.007Z',
      authorId: 'uidOfTheAdmin00000000001',
    });
    const liked = await s.call(admin, 'getPost', { postId: 'friendsPost00000000c' });
    expect(liked.post).toMatchObject({ type: 'short', likeCount: 1, commentCount: 3 });
    const { comments } = await s.call(admin, 'listComments', { postId: 'friendsPost00000000c' });
    expect(
      comments.map(({ id, authorUsername, content }) => [id.slice(0, 10), authorUsername, content.length]),
    ).toEqual([
      [expect.any(String), 'quincey', 1],
      ['commentTwo', 'quincey', 5_000],
      ['commentOne', 'lucy', 10],
    ]);
    const settings = await s.call(null, 'getSettings', {});
    expect(JSON.stringify(settings)).toContain('About *me*.');
    const subscriptions = await s.deps.db.selectFrom('subscriptions').select(['user_id', 'email']).execute();
    expect(subscriptions).toEqual([{ user_id: 'uidOfAFriend0000000000002', email: 'lucy@example.com' }]);
    // Nobody hears of posts that are not new.
    expect(
      await s.deps.db.selectFrom('mails').select('kind').where('kind', '<>', 'notice').execute(),
    ).toEqual([]);
    expect(await s.deps.db.selectFrom('announcements').select('post_id').execute()).toEqual([]);
  });

  it('a Firebase project brings its files, with their addresses in texts and attachments', async () => {
    const s = await site();
    await writeProject();
    await run(s);
    const admin = await signIn(s, 'uidOfTheAdmin00000000001');
    const { post: found } = await s.call(admin, 'getPost', { postId: 'picturePost00000000j' });
    expect(found.content).toMatch(
      /^!\[a river\]\(\/files\/[\w-]{16}\) and \[Video: boat\]\(\/files\/[\w-]{16}\/171_boat\.mp4\), !\[gone\]\(https:/,
    );
    expect(found.html).toContain('<video');
    expect(found.attachments).toMatchObject([{ description: 'A river', type: 'image/png' }]);
    const picture = /\/files\/[\w-]{16}/.exec(found.html)?.[0] ?? '';
    expect((await s.request(picture, await signIn(s, 'uidOfAFriend0000000000002'))).status).toBe(200);
    expect((await s.request(picture)).status).toBe(404);
    // Programs find them under the names that they had.
    const paths = await s.deps.db.selectFrom('files').select('path').orderBy('path').execute();
    expect(paths.map(file => file.path)).toEqual(['posts/170_river.png', 'posts/171_boat.mp4']);
  });

  it('a Firebase project has a password hashed again at the first sign-in, however long it is', async () => {
    const s = await site();
    await writeProject();
    await run(s);
    const id = 'uidOfAFriend0000000000002';
    const hash = async () =>
      (
        await s.deps.db
          .selectFrom('sign_in_methods')
          .select('password')
          .where('user_id', '=', id)
          .executeTakeFirstOrThrow()
      ).password;
    expect(await hash()).toMatch(/^\$fbscrypt\$/);
    await expect(s.call(null, 'signIn', { email: emailOf(id), password: 'wrong' })).rejects.toThrow(
      'Invalid email or password.',
    );
    expect(await hash()).toMatch(/^\$fbscrypt\$/);
    await signIn(s, id);
    expect(await hash()).not.toMatch(/^\$/);
    const member = await signIn(s, id);
    await s.call(member, 'changePassword', { currentPassword: passwordOf(id), newPassword: 'a new one' });
    await signIn(s, id, 'a new one');
  });

  it('a Firebase project has no duplicates when imported repeatedly, and does not undo decisions made here', async () => {
    const s = await site();
    await writeProject();
    await run(s);
    const before = await stateOf(s);
    expect(new Set((await run(s)).map(item => item.outcome))).toEqual(new Set(['unchanged']));
    expect(await stateOf(s)).toEqual(before);
    const admin = await signIn(s, 'uidOfTheAdmin00000000001');
    await s.call(admin, 'denyUser', { userId: 'uidOfAFriend0000000000002' });
    await s.call(admin, 'deleteComment', { commentId: 'commentOne0000000001' });
    await s.call(admin, 'setDefaultTags', { tags: [] });
    const changed = documents();
    changed['posts/friendsPost00000000c'] = { ...posts.friendsPost00000000c, content: 'For all friends.' };
    await write({ 'export/firestore_export/all_namespaces/all_kinds/output-0': firestoreExport(changed) });
    const updated = (await run(s)).filter(item => item.outcome !== 'unchanged');
    expect(updated).toMatchObject([
      { source: 'posts/friendsPost00000000c', outcome: 'updated', comments: 0, likes: 0 },
    ]);
    const after = await stateOf(s);
    expect(after.users.find(user => user.id === 'uidOfAFriend0000000000002')?.status).toBe('denied');
    expect(after.comments.map(comment => comment.id)).not.toContain('commentOne0000000001');
    expect(await s.deps.db.selectFrom('default_tags').selectAll().execute()).toEqual([]);
    expect(await examine(s.deps)).toEqual([]);
  });

  it('a Firebase project gives the same result when the import is interrupted at any point and repeated', async () => {
    await writeProject();
    const whole = await site();
    await run(whole);
    const expected = await stateOf(whole);
    const s = await site();
    for (let until = 1; until <= 17; until += 4) await run(s, { until });
    await run(s);
    const { posts: interrupted, ...rest } = await stateOf(s);
    const { posts: uninterrupted, ...others } = expected;
    expect(rest).toEqual(others);
    // Addresses of files are random to who does not know the site's secret, so they differ between two sites.
    const told = (rows: typeof interrupted) =>
      rows.map(({ content: _, readable: ____, html: __, tag_set_id: ___, ...row }) => row);
    expect(told(interrupted)).toEqual(told(uninterrupted));
  });

  it('a Firebase project writes nothing in a dry run, and reports what would be imported under which tags', async () => {
    const s = await site();
    await writeProject();
    const before = await stateOf(s);
    const report = emptyReport(true, (await sourceOf()).leftBehind);
    for (const item of await run(s, { isDryRun: true })) addToReport(report, item);
    expect(await stateOf(s)).toEqual(before);
    expect(report).toMatchObject({
      counts: { person: { created: 6 }, post: { created: 10 }, settings: { created: 1 } },
      files: 2,
      postsByTag: { world: 1, friends: 3, family: 1, 'Family 2': 1, unnamed: 1, 'unreadable tags': 1 },
      leftBehind: expect.arrayContaining(['The collection visits (1)']),
    });
  });

  it('a Firebase project gives members with a tag of the same name no imported posts, and imported members no posts of this site', async () => {
    const s = await site();
    const here = await s.member(['friends']);
    const admin = await s.admin();
    const [own = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    await s.setDefaultTags(['Family']);
    await writeProject();
    const items = await run(s);
    expect(items.find(item => item.source === 'posts/friendsPost00000000c')?.tags).toEqual(['friends 2']);
    const friend = await signIn(s, 'uidOfAFriend0000000000002');
    await expect(s.call(here, 'getPost', { postId: 'friendsPost00000000c' })).rejects.toThrow();
    await expect(s.call(friend, 'getPost', { postId: own })).rejects.toThrow();
    await expect(s.call(null, 'getPost', { postId: 'familyPost000000000d' })).rejects.toThrow();
    expect((await s.call(friend, 'getPost', { postId: 'friendsPost00000000c' })).post.content).toBe(
      'For friends.',
    );
  });

  it('a Firebase project keeps the rights and the password of an account with the same address in another case', async () => {
    const s = await site();
    // An admin has decided about it: one that waits and was never confirmed may be anybody's
    // (unclaimed-accounts.test.ts).
    const same = await s.member([], 'mina');
    await writeProject();
    const items = await run(s);
    expect(items.filter(item => item.kind === 'person' && item.outcome === 'kept')).toMatchObject([
      { source: 'uidOfTheAdmin00000000001', reason: expect.stringContaining('who keeps the rights') },
    ]);
    const row = await s.deps.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', same.id)
      .executeTakeFirstOrThrow();
    expect([Boolean(row.is_admin), row.status]).toEqual([false, 'approved']);
    const authors = await s.deps.db.selectFrom('posts').select('author_id').distinct().execute();
    expect(authors).toEqual([{ author_id: same.id }]);
  });
});
