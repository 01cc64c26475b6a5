import { expect, it } from 'vitest';
import { approveUser, denyUser } from '../../server/accounts/members/decide.ts';
import { sweepSessions } from '../../server/accounts/sessions/session-rows.ts';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { describeEngines } from '../support/engines.ts';
import { account, essay, publish } from '../support/factories.ts';
import { LiveStream } from '../support/live.ts';
import { signIn } from '../support/signed-up.ts';
import { post, refusal } from '../support/site.ts';
import { start, step } from '../support/storage.ts';

describeEngines(({ site }) => {
  it('19. the site refuses to end a session of somebody else', async () => {
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

  it('the site deletes expired sessions, and no others', async () => {
    const s = await site();
    const [one, two] = [await s.member(), await s.member()];
    const now = s.deps.clock();
    const runOut = (person: { id: string }, at: number) =>
      s.deps.db
        .updateTable('sessions')
        .set({ expires_at: new Date(at).toISOString() })
        .where('user_id', '=', person.id)
        .execute();
    await runOut(one, now - 1);
    await runOut(two, now + 1_000);
    await sweepSessions({ db: s.deps.db, clock: () => now });
    const left = await s.deps.db.selectFrom('sessions').select('user_id').execute();
    expect(left.map(row => row.user_id)).toEqual([two.id]);
  });

  it('37. the site makes a new session at every sign-in, ends the one before, and accepts none from the address', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const first = await signIn(s);
    const second = await signIn(s, first.cookie);
    expect(second.cookie).not.toBe(first.cookie);
    expect((await s.call(first, 'getViewer', {})).user).toBeNull();
    expect((await s.call(second, 'getAccount', {})).sessions).toHaveLength(2);
    // A cookie that somebody planted before is nobody's session afterwards either.
    const planted = await signIn(s, 'coterie-session=planted.signature');
    expect(planted.cookie).not.toContain('planted');
    const inAddress = await s.request(`/account?token=${first.token}`, null, { redirect: 'manual' });
    expect(inAddress.status).toBe(302);
  });

  it('38. the site ends every other session and token when the password changes, and all when asked', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const [one, two] = [await signIn(s), await signIn(s)];
    const bearer = { authorization: `Bearer ${two.token}` };
    const ask = async () => (await s.request('/', null, { headers: bearer })).status;
    expect(await ask()).toBe(200);
    const change = { currentPassword: account.password, newPassword: 'new quincey' };
    const renewed = await post(s, 'changePassword', change, { cookie: one.cookie });
    expect(renewed.status).toBe(200);
    expect((await s.call(two, 'getViewer', {})).user).toBeNull();
    expect(await ask()).toBe(401);
    expect((await s.call(renewed, 'getAccount', {})).sessions).toHaveLength(1);
    await s.call(renewed, 'signOutEverywhere', {});
    expect((await s.call(renewed, 'getViewer', {})).user).toBeNull();
  });

  it('38. the site ends every session and token also when a program asks for it', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const mina = await signIn(s);
    await approveUser(s.deps, mina.id);
    const { token } = await s.makeToken(mina, 'program');
    const asProgram = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const ask = async () =>
      (
        await s.request('/api/signOutEverywhere', null, {
          method: 'POST',
          headers: asProgram,
          body: '{"data":{}}',
        })
      ).status;
    expect(await ask()).toBe(200);
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    expect(await ask()).toBe(401);
  });

  it.each(['denial', 'password', 'reset', 'everywhere'] as const)(
    '38. the site ends tokens, links and streams with the sessions: %s',
    async how => {
      const s = await site();
      await s.call(null, 'signUp', account);
      let mina = await signIn(s);
      await approveUser(s.deps, mina.id);
      mina = { ...mina, username: 'mina' };
      const [postId = ''] = await publish(s, await s.admin(), essay());
      const { token } = await s.makeToken(mina, 'program');
      const asProgram = async () =>
        (await s.request('/', null, { headers: { authorization: `Bearer ${token}` } })).status;
      const link = new URL(await resetLink(s.deps, mina.id)).searchParams.get('token') ?? '';
      const stream = new LiveStream(await s.request(`/live?post=${postId}`, mina));
      await stream.until('state');
      expect(await asProgram()).toBe(200);
      if (how === 'denial') await denyUser(s.deps, mina.id);
      if (how === 'everywhere') await s.call(mina, 'signOutEverywhere', {});
      if (how === 'password') {
        await s.call(mina, 'changePassword', {
          currentPassword: account.password,
          newPassword: 'new quincey',
        });
      }
      if (how === 'reset') {
        const own = new URL(await resetLink(s.deps, mina.id)).searchParams.get('token') ?? '';
        await s.call(null, 'resetPassword', { token: own, password: 'new quincey' });
      }
      expect(await stream.until('viewer')).toMatchObject({ user: null });
      expect(await asProgram()).toBe(401);
      expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
      expect(await refusal(s.call(null, 'resetPassword', { token: link, password: 'stolen it' }))).toBe(
        'failed-precondition',
      );
    },
  );

  it('38. the site checks at every step of an upload whether its uploader is still an admin', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const url = await start(s, other, 'posts/a.bin', 8);
    expect((await step(s, other, url, 'upload', { offset: 0, body: 'abcd' })).status).toBe(200);
    await s.call(admin, 'setAdmin', { userId: other.id, isAdmin: false });
    expect((await step(s, other, url, 'upload, finalize', { offset: 4, body: 'efgh' })).status).toBe(403);
    expect(await refusal(s.call(other, 'getUsers', { list: 'approved' }))).toBe('permission-denied');
    expect(await s.deps.db.selectFrom('files').select('id').execute()).toEqual([]);
  });

  it('39. the site restores no old rights with a new approval', async () => {
    const s = await site();
    const mina = await s.member([], 'mina');
    const { token } = await s.makeToken(mina, 'program');
    await denyUser(s.deps, mina.id);
    await approveUser(s.deps, mina.id);
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    const answer = await s.request('/', null, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
  });
});
