import { expect, it } from 'vitest';
import { setApprovedTags } from '../../server/accounts/members/decide.ts';
import { examine } from '../../server/cli/examine.ts';
import { ask } from '../support/answers.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { LiveStream } from '../support/live.ts';
import { refusal } from '../support/site.ts';
import { carry, upload } from '../support/storage.ts';
import { openScene } from './rights-scene.ts';

describeEngines(({ site, siteWithAdmin }) => {
  it('2. the site lists posts by the session alone, whatever the caller claims', async () => {
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

  it('4. the site gives a viewer who may not read a post the same answers with and without it', async () => {
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

  it('5. the site lets nobody act on a post that they may not read, under no other name either', async () => {
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

  it('7. the site immediately takes a post, its stream, its file and its traces from a member who has lost a tag', async () => {
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

  it('26. the site opens nothing for a tag that only looks like an approved one', async () => {
    const [s, admin] = await siteWithAdmin();
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
