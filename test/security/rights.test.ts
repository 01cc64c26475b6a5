import { expect, it } from 'vitest';
import { operations } from '../../contract/operations.ts';
import { setApprovedTags } from '../../server/accounts/decisions.ts';
import { examine } from '../../server/cli/examine.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish, shortPost } from '../factories.ts';
import { LiveStream } from '../live.ts';
import { type Person, refusal, type Site } from '../site.ts';
import { carry, upload } from '../storage.ts';

async function ask(s: Site, as: Person, path: string, data?: unknown): Promise<string> {
  const init =
    data === undefined
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ data }),
        };
  const response = await s.request(path, as, { redirect: 'manual', ...init });
  return `${response.status} ${response.headers.get('location')} ${response.headers.get('etag')} ${await response.text()}`;
}

/** A site with a post X for `friends` and `secret`, and everybody who may not read it. */
async function openScene(s: Site) {
  const admin = await s.admin();
  await publish(s, admin, ...Array.from({ length: 11 }, (_, index) => shortPost(`open ${index}`, ['open'])));
  await s.setDefaultTags(['open']);
  const strangers: Record<string, Person> = {
    V: null,
    P: await s.signUp(),
    D: await s.denied(),
    W: await s.member(),
    'U without secret': await s.member(['friends']),
  };
  return { admin, strangers, insider: await s.member(['friends', 'secret']) };
}

describeEngines('rights', ({ site }) => {
  it('2. lists by the session alone, whatever a caller says of itself', async () => {
    const s = await site();
    const { admin, strangers } = await openScene(s);
    await publish(s, admin, essay({ tags: ['friends', 'secret'] }));
    const claims = {
      currentUser: { isAdmin: true, isApproved: true, approvedTags: ['friends', 'secret'] },
      defaultTags: ['friends', 'secret'],
      approvedTags: ['friends', 'secret'],
      viewer: { role: 'admin' },
      isAdmin: false,
    };
    for (const person of Object.values(strangers)) {
      expect(await ask(s, person, '/api/getPosts', claims)).toBe(await ask(s, person, '/api/getPosts', {}));
      const refused = await ask(s, person, '/api/getPosts', { ...claims, isAdmin: true });
      expect(refused.slice(0, 3)).toBe('403');
    }
  });

  it('4. says the same to who may not read a post, with it and without it', async () => {
    const s = await site();
    const { admin, strangers } = await openScene(s);
    const everything = async () => {
      const answers: Record<string, string> = {};
      for (const [who, person] of Object.entries(strangers)) {
        for (const page of [1, 2, 3]) {
          answers[`${who} page ${page}`] = await ask(s, person, '/api/getPosts', { page });
          const filtTags = ['friends', 'secret', 'open'];
          answers[`${who} filtered ${page}`] = await ask(s, person, '/api/getPosts', { page, filtTags });
        }
        answers[`${who} tags`] = await ask(s, person, '/api/getTags', {});
        for (const path of ['/', '/?tags=open', '/tags/open', '/tags/friends', '/tags/secret', '/tags/none'])
          answers[`${who} ${path}`] = await ask(s, person, path);
      }
      return answers;
    };
    const before = await everything();
    await publish(s, admin, essay({ tags: ['friends', 'secret'] }), shortPost('x', ['open', 'secret']));
    await s.call(admin, 'createPost', { ...shortPost('a draft', ['open']), isDraft: true });
    expect(await everything()).toEqual(before);
  });

  it('5. lets nobody touch a post that they may not read, under no other name either', async () => {
    const s = await site();
    const { admin, strangers, insider } = await openScene(s);
    const [x = ''] = await publish(s, admin, essay({ tags: ['friends', 'secret'] }));
    const [open = ''] = await publish(s, admin, shortPost('open too'));
    const { comment } = await s.call(insider, 'addComment', { postId: x, content: 'within' });
    await s.call(insider, 'setLike', { postId: x, liked: true });
    for (const [who, person] of Object.entries(strangers)) {
      const codes = [
        await refusal(s.call(person, 'setLike', { postId: x, liked: true })),
        await refusal(s.call(person, 'setLike', { postId: x, liked: false })),
        await refusal(s.call(person, 'addComment', { postId: x, content: 'hello' })),
        await refusal(s.call(person, 'listComments', { postId: x })),
        await refusal(s.call(person, 'deleteComment', { commentId: comment.id })),
        await refusal(s.call(person, 'listLikes', { postId: x })),
        await refusal(s.call(person, 'getPost', { postId: x })),
      ];
      expect([who, codes.filter(code => !['permission-denied', 'unauthenticated'].includes(code))]).toEqual([
        who,
        [],
      ]);
      // The id of a comment is no way round its post.
      const beside = { postId: open, commentId: comment.id };
      expect(await refusal(s.call(person, 'deleteComment', beside))).not.toBe('not-found');
    }
    expect((await s.call(insider, 'getPost', { postId: x })).post).toMatchObject({
      likeCount: 1,
      commentCount: 1,
    });
    expect(await examine(s.deps)).toEqual([]);
  });

  it('7. takes a post, its stream, its file and its traces from who has lost a tag, at once', async () => {
    const s = await site();
    const { admin, insider } = await openScene(s);
    const [x = ''] = await publish(s, admin, essay({ title: 'Markerword', tags: ['friends', 'secret'] }));
    const file = await upload(s, admin, 'posts/markerfile.bin', 'marker bytes');
    await carry(s, x, file.id);
    await s.call(insider, 'setLike', { postId: x, liked: true });
    await s.call(insider, 'addComment', { postId: x, content: 'mine' });
    const { token } = await s.makeToken(insider, 'reader');
    const asProgram = async () =>
      (
        await s.request('/api/getPost', null, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({ data: { postId: x } }),
        })
      ).status;
    const described = await (
      await s.request(`/v0/b/coterie/o/${encodeURIComponent(file.name)}`, insider)
    ).json();
    const byToken = `/v0/b/coterie/o/${encodeURIComponent(file.name)}?alt=media&token=${described.downloadTokens}`;
    const statuses = async () => [
      (await s.request(`/post/${x}`, insider, { redirect: 'manual' })).status,
      (await s.request(file.url, insider)).status,
      (await s.request(byToken)).status,
      await asProgram(),
    ];
    const stream = new LiveStream(await s.request(`/live?post=${x}`, insider));
    await stream.until('state');
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const friends = await s.deps.db
      .selectFrom('tags')
      .select('id')
      .where('key', '=', 'friends')
      .executeTakeFirstOrThrow();
    await setApprovedTags(s.deps, insider.id, [friends.id]);
    expect(await statuses()).toEqual([302, 404, 404, 403]);
    expect(await stream.until('gone')).toMatchObject({ postId: x });
    const traces = [
      await ask(s, insider, '/profile'),
      await ask(s, insider, '/api/getLikedPosts', {}),
      await ask(s, insider, '/api/getOwnComments', {}),
      await ask(s, insider, '/api/exportAccount', {}),
    ].join();
    expect(traces).not.toContain('Markerword');
    expect(traces).not.toContain('markerfile');
    await s.call(admin, 'addComment', { postId: x, content: 'after' });
    await s.call(insider, 'signOut', {});
    // The next that the stream says is its end.
    expect(await stream.take(5)).toMatchObject([{ name: 'viewer', data: { user: null } }]);
  });

  it('13. names an author by their username and id, and nothing else', async () => {
    const s = await site();
    const { admin, strangers } = await openScene(s);
    const [postId = ''] = await publish(s, admin, shortPost('for all'));
    const author = await s.member(['markertag'], 'authorname');
    await s.deps.db
      .updateTable('users')
      .set({ name: 'Markerfullname', email: 'markermail@example.com' })
      .where('id', '=', author.id)
      .execute();
    await s.call(author, 'setLike', { postId, liked: true });
    const reader = strangers.W ?? null;
    const stream = new LiveStream(await s.request(`/live?post=${postId}`, reader));
    await stream.until('state');
    await s.call(author, 'addComment', { postId, content: 'hello' });
    const told = JSON.stringify(await stream.until('comments'));
    await stream.close();
    const shown = [
      told,
      await ask(s, reader, '/api/listComments', { postId }),
      await ask(s, reader, `/post/${postId}`),
      await ask(s, reader, '/api/getPosts', {}),
    ].join();
    expect(shown).toContain('authorname');
    for (const word of ['Markerfullname', 'markermail', 'markertag'])
      expect([word, shown.includes(word)]).toEqual([word, false]);
  });

  it('15. lets nobody call what is not for them, and change no right of their own', async () => {
    const s = await site();
    const people: Record<string, Person> = {
      visitor: null,
      pending: await s.signUp(),
      denied: await s.denied(),
      member: await s.member(),
    };
    const allowed: Record<string, readonly string[]> = {
      visitor: ['anyone'],
      pending: ['anyone', 'signed-in'],
      // Their sessions have ended with the denial.
      denied: ['anyone'],
      member: ['anyone', 'signed-in', 'approved'],
    };
    for (const [who, person] of Object.entries(people)) {
      for (const [name, { for: caller }] of Object.entries(operations)) {
        if (allowed[who]?.includes(caller)) continue;
        const status = (await ask(s, person, `/api/${name}`, {})).slice(0, 3);
        expect([who, name, status]).toEqual([who, name, ['visitor', 'denied'].includes(who) ? '401' : '403']);
      }
    }
    const pending = people.pending as NonNullable<Person>;
    const row = () =>
      s.deps.db
        .selectFrom('users')
        .select(['id', 'is_admin', 'status', 'approved_at', 'denied_at', 'created_at', 'email', 'username'])
        .where('id', '=', pending.id)
        .executeTakeFirstOrThrow();
    const before = await row();
    await ask(s, pending, '/api/changeName', {
      name: 'New Name',
      isAdmin: true,
      isApproved: true,
      pendingApproval: false,
      status: 'approved',
      approvedTags: ['friends'],
      approvedAt: 1,
      createdAt: 1,
      id: 'me',
      email: 'other@example.com',
      username: 'other',
    });
    expect(await row()).toEqual(before);
    const grants = s.deps.db.selectFrom('approved_tags').selectAll().where('user_id', '=', pending.id);
    expect(await grants.execute()).toEqual([]);
  });

  it('17. gives a like and a comment to who asks, whomever they name', async () => {
    const s = await site();
    const { admin } = await openScene(s);
    const [postId = ''] = await publish(s, admin, shortPost('for all'));
    const [one, two] = [await s.member([], 'one_name'), await s.member([], 'two_name')];
    const forged = {
      userId: two.id,
      authorUsername: 'two_name',
      createdAt: '2000-01-01',
      id: 'mine',
      likeCount: 9,
    };
    for (const [name, value] of Object.entries(forged)) {
      await ask(s, one, '/api/setLike', { postId, liked: true, [name]: value });
      await ask(s, one, '/api/addComment', { postId, content: 'hello', [name]: value });
    }
    // Refused, rather than taken for something else than they say.
    expect(await s.deps.db.selectFrom('likes').selectAll().execute()).toEqual([]);
    expect(await s.deps.db.selectFrom('comments').selectAll().execute()).toEqual([]);
    await ask(s, one, '/api/setLike', { postId, liked: true });
    await ask(s, one, '/api/addComment', { postId, content: 'hello' });
    const likes = await s.deps.db.selectFrom('likes').select('user_id').execute();
    const comments = await s.deps.db.selectFrom('comments').selectAll().execute();
    expect(likes).toEqual([{ user_id: one.id }]);
    expect(comments).toMatchObject([{ user_id: one.id, created_at: s.deps.clock() }]);
  });

  it('19. keeps to the account that asks, whichever id is sent along', async () => {
    const s = await site();
    const { admin } = await openScene(s);
    const [one, two] = [await s.member(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost('Markerword'));
    await s.call(two, 'setLike', { postId, liked: true });
    const { accessToken } = await s.makeToken(two, 'mine');
    const forged = { userId: two.id, email: 'evil@example.com', id: two.id };
    await ask(s, one, '/api/setSubscription', { subscribed: true, ...forged });
    expect(await s.deps.db.selectFrom('subscriptions').selectAll().execute()).toEqual([]);
    await ask(s, one, '/api/setSubscription', { subscribed: true });
    const rows = await s.deps.db.selectFrom('subscriptions').select(['user_id', 'email']).execute();
    expect(rows).toEqual([{ user_id: one.id, email: `${one.username}@example.com` }]);
    expect(await ask(s, one, '/api/getLikedPosts', {})).not.toContain('Markerword');
    await ask(s, one, '/api/revokeAccessToken', { tokenId: accessToken.id });
    expect((await s.call(two, 'listAccessTokens', {})).tokens).toHaveLength(1);
    expect(await refusal(s.call(one, 'setApprovedTags', { userId: one.id, tags: [] }))).toBe(
      'permission-denied',
    );
    expect(await refusal(s.call(one, 'getUsers', { list: 'approved' }))).toBe('permission-denied');
  });

  it('26. opens nothing for a tag that only looks like the one that was allowed', async () => {
    const s = await site();
    const admin = await s.admin();
    const alike = ['ｆriends', 'friеnds', 'friends.', 'friend s', 'frıends', 'ﬀriends'];
    const ids = await publish(s, admin, ...alike.map(tag => shortPost(`for ${tag}`, [tag])));
    const [same = ''] = await publish(s, admin, shortPost('for friends', ['  FRIENDS ']));
    const member = await s.member(['friends']);
    expect((await s.call(member, 'getPost', { postId: same })).post.tags).toHaveLength(1);
    for (const postId of ids)
      expect(await refusal(s.call(member, 'getPost', { postId }))).toBe('permission-denied');
    for (const username of ['аdmin', 'ａdmin', 'adm\u200bin', '\u202eadmin', 'admin ', 'ad-min']) {
      const account = { username, name: 'Some One', email: 'x@example.com', password: 'password' };
      expect([username, await refusal(s.call(null, 'signUp', account))]).toEqual([
        username,
        'invalid-argument',
      ]);
    }
  });
});
