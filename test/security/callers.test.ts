import { expect, it } from 'vitest';
import { operations } from '../../contract/operations.ts';
import { ask } from '../support/answers.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { LiveStream } from '../support/live.ts';
import { changeUser } from '../support/rows.ts';
import { type Person, refusal } from '../support/site.ts';
import { openScene } from './rights-scene.ts';

describeEngines(({ site }) => {
  it('13. the site names an author by their names and id, and nothing else', async () => {
    const s = await site();
    const { admin, strangers } = await openScene(s);
    const [postId = ''] = await publish(s, admin, shortPost('for all'));
    const author = await s.member(['markertag'], 'authorname');
    await changeUser(s, author.id, { name: 'Markerfullname', email: 'markermail@example.com' });
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
    // The full name stands with a comment (docs/decisions/0031-conversation.md); nowhere else.
    expect(shown).toContain('authorname');
    for (const word of ['markermail', 'markertag'])
      expect([word, shown.includes(word)]).toEqual([word, false]);
  });

  it('15. the site refuses every call that is not for the caller, and no caller changes their own rights', async () => {
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

  it('17. the site stores a like and a comment for the caller, whomever they name', async () => {
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

  it('19. the site acts on the account of the caller, whichever id is sent along', async () => {
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
});
