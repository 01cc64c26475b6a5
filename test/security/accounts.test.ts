import { expect, it } from 'vitest';
import { describeEngines } from '../engines.ts';
import { essay, publish } from '../factories.ts';
import { cookieOf, refusal, type Site } from '../site.ts';

const account = { username: 'mina', name: 'Mina Harker', email: 'mina@example.com', password: 'quincey' };

async function signIn(s: Site, cookie?: string, password = account.password) {
  const response = await s.request('/api/signIn', null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
    body: JSON.stringify({ data: { email: account.email, password } }),
  });
  const { result } = await response.json();
  return {
    id: result?.user?.id ?? '',
    username: 'mina',
    cookie: cookieOf(response),
    token: response.headers.get('set-auth-token'),
  };
}

describeEngines('accounts and sessions', ({ site }) => {
  it('19. ends no session of somebody else', async () => {
    const s = await site();
    const [one, two] = [await s.member(), await s.member()];
    const session = await s.deps.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', two.id)
      .executeTakeFirstOrThrow();
    expect(await refusal(s.call(one, 'endSession', { sessionId: session.id }))).toBe('not-found');
    expect((await s.call(two, 'getViewer', {})).user?.id).toBe(two.id);
  });

  it('21. keeps the last admin, and deletes another account with its likes', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const mina = await signIn(s);
    await s.deps.db
      .updateTable('users')
      .set({ is_admin: true, status: 'approved', approved_at: 1 })
      .execute();
    const leave = { currentPassword: account.password, comments: 'delete' } as const;
    expect(await refusal(s.call(mina, 'deleteAccount', leave))).toBe('failed-precondition');
    const other = await s.admin();
    const [postId = ''] = await publish(s, other, essay());
    await s.call(mina, 'setLike', { postId, liked: true });
    await s.deps.db
      .insertInto('comments')
      .values({ id: 'c1', post_id: postId, user_id: mina.id, content: 'Hm.', created_at: 1 })
      .execute();
    await s.deps.db.updateTable('posts').set({ comment_count: 1 }).execute();
    expect(await refusal(s.call(mina, 'deleteAccount', { ...leave, currentPassword: 'wrong' }))).toBe(
      'invalid-argument',
    );
    const exported = await s.call(mina, 'exportAccount', {});
    expect(exported.data).toMatchObject({ likes: [{ postId }], comments: [{ content: 'Hm.' }] });
    expect(JSON.stringify(exported)).not.toContain('password');
    expect((await s.call(mina, 'deleteAccount', leave)).user).toBeNull();
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    expect((await s.call(null, 'getPost', { postId })).post).toMatchObject({ likeCount: 0, commentCount: 0 });
  });

  it('37. gives a new session at every sign-in, and takes none from the address', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const first = await signIn(s);
    const second = await signIn(s, first.cookie);
    expect(second.cookie).not.toBe(first.cookie);
    const inAddress = await s.request(`/account?token=${first.token}`, null, { redirect: 'manual' });
    expect(inAddress.status).toBe(302);
  });

  it('38. ends every other session and token when the password changes, and all when asked', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const [one, two] = [await signIn(s), await signIn(s)];
    const bearer = { authorization: `Bearer ${two.token}` };
    const ask = async () => (await s.request('/', null, { headers: bearer })).status;
    expect(await ask()).toBe(200);
    const change = { currentPassword: account.password, newPassword: 'new quincey' };
    const response = await s.request('/api/changePassword', one, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: change }),
    });
    expect(response.status).toBe(200);
    const renewed = { ...one, cookie: cookieOf(response) };
    expect((await s.call(two, 'getViewer', {})).user).toBeNull();
    expect(await ask()).toBe(401);
    expect((await s.call(renewed, 'getAccount', {})).sessions).toHaveLength(1);
    await s.call(renewed, 'signOutEverywhere', {});
    expect((await s.call(renewed, 'getViewer', {})).user).toBeNull();
  });

  it('43. bounds what is hashed, and confuses no two passwords', async () => {
    const s = await site();
    const long = '😀'.repeat(10);
    await s.call(null, 'signUp', { ...account, password: long });
    expect((await signIn(s, undefined, long)).id).not.toBe('');
    for (const wrong of [
      long.slice(0, -1),
      `${long.slice(0, -2)}\u0000`,
      long.slice(0, 10),
      'x'.repeat(1_000_000),
    ]) {
      expect((await signIn(s, undefined, wrong)).id).toBe('');
    }
  });

  it('70. locks nobody out when the clock is set back', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    for (let index = 0; index < 11; index += 1) await signIn(s, undefined, `wrong${index}`);
    expect((await signIn(s)).id).toBe('');
    s.wait(-60 * 60_000);
    expect((await signIn(s)).id).not.toBe('');
  });
});
