import { expect, it } from 'vitest';
import { currentVisitor } from '../../server/access/viewer.ts';
import { sessionMaxMs, sweepSessions } from '../../server/accounts/sessions/session-rows.ts';
import { signIn } from '../../server/accounts/sign-in/sign-in.ts';
import { internalInvocation } from '../../server/operations.ts';
import { describeEngines } from '../support/engines.ts';
import { account, essay, publish } from '../support/factories.ts';
import { LiveStream } from '../support/live.ts';
import { onceRead } from '../support/queries.ts';
import { signedUp } from '../support/signed-up.ts';
import { openSite, type Person, post, refusal } from '../support/site.ts';

const elsewhere = 'https://app.example';

const { email, password } = account;

describeEngines(({ site, migrated }) => {
  it('38. a browser that signs out is told to drop what it has cached of the site, by each way to sign out', async () => {
    const s = await site();
    const mina = await signedUp(s);
    const cleared = async (name: string, data: unknown, cookie: string) => {
      const answer = await post(s, name, data, { cookie });
      return [answer.status, answer.headers.get('clear-site-data')];
    };
    expect(await cleared('getViewer', {}, mina.cookie)).toEqual([200, null]);
    expect(await cleared('signOut', {}, mina.cookie)).toEqual([200, '"cache"']);
    const again = async () => (await post(s, 'signIn', { email, password })).cookie;
    expect(await cleared('signOutEverywhere', {}, await again())).toEqual([200, '"cache"']);
    const gone = { comments: 'keep' };
    expect(await cleared('deleteAccount', gone, await again())).toEqual([200, '"cache"']);
  });

  it('38. a sign-in during which the password changes leaves no session', async () => {
    const s = await site();
    const mina = await signedUp(s);
    // The password changes as soon as the sign-in has read what it compares the typed one with.
    const read = onceRead(
      row => typeof row.password === 'string',
      () => s.call(mina, 'changePassword', { currentPassword: password, newPassword: 'another1' }),
    );
    const nobody = await currentVisitor(s.deps);
    const entering = { ...internalInvocation(s.deps, nobody), db: s.deps.db.withPlugin(read.plugin) };
    expect(await refusal(signIn(entering, { email, password }))).toBe('unauthenticated');
    expect(read.isDone()).toBe(true);
    expect([...entering.replyHeaders]).toEqual([]);
    const sessions = await s.deps.db.selectFrom('sessions').select('user_id').execute();
    expect(sessions).toEqual([{ user_id: mina.id }]);
    expect((await post(s, 'signIn', { email, password: 'another1' })).status).toBe(200);
  });

  it('ended sessions are removed from the browser by a page load, and by no other request', async () => {
    const s = await site();
    const mina = await signedUp(s);
    await s.deps.db.deleteFrom('sessions').execute();
    const taken = async (path: string, mode: string, cookie = mina.cookie) => {
      const answer = await s.request(path, null, { headers: { cookie, 'sec-fetch-mode': mode } });
      const names = answer.headers.getSetCookie().map(set => /^(\S+?)=;.*Max-Age=0/.exec(set)?.[1]);
      return [...new Set(names)];
    };
    // Another tab may have just signed in, and the answer of this one may come last.
    expect(await taken('/feed.xml', 'cors')).toEqual([]);
    expect(await taken('/', 'navigate')).toEqual(['coterie-session']);
    expect(await taken('/', 'navigate', 'coterie-session=made-up')).toEqual([]);
  });

  it('37. sessions give their secret to no script in a browser, only to a program without cookies', async () => {
    const s = await site();
    await signedUp(s);
    const tokenOf = async (headers: Record<string, string>) => {
      const response = await post(s, 'signIn', { email, password }, { headers });
      expect(response.status).toBe(200);
      const names = response.headers.getSetCookie().map(cookie => cookie.split('=')[0]);
      expect(names).toEqual(['coterie-session', 'coterie-browser']);
      return response.headers.get('set-auth-token');
    };
    expect(await tokenOf({ origin: s.config.publicUrl })).toBeNull();
    expect(await tokenOf({ 'sec-fetch-site': 'same-origin' })).toBeNull();
    expect(await tokenOf({})).not.toBeNull();
    const form = await s.request('/login', null, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'content-length': '60' },
      body: new URLSearchParams({ email, password }),
    });
    expect([form.status, form.headers.get('set-auth-token')]).toEqual([303, null]);
  });

  it('34. sessions cannot be begun or ended in a browser by a page of a configured origin', async () => {
    const s = await openSite(await migrated(), { CORS_ORIGINS: elsewhere });
    const mina = await signedUp(s);
    const count = async () => (await s.deps.db.selectFrom('sessions').select('id').execute()).length;
    const before = await count();
    const from = { origin: elsewhere, 'sec-fetch-site': 'same-site' };
    for (const [name, data] of [
      ['signIn', { email, password }],
      ['signUp', { ...account, username: 'lucy', email: 'lucy@example.com' }],
    ] as const) {
      const response = await post(s, name, data, { headers: from });
      expect([name, response.status, response.headers.getSetCookie()]).toEqual([name, 403, []]);
    }
    const form = await s.request('/login', mina, {
      method: 'POST',
      headers: { ...from, 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams({ email, password })}`,
    });
    expect([form.status, form.headers.getSetCookie()]).toEqual([403, []]);
    expect(await count()).toBe(before);
    expect((await s.call(mina, 'getViewer', {})).user?.id).toBe(mina.id);
    // Neither by the token of a session, whose end moves with its use, nor by signing out.
    const token = decodeURIComponent(/coterie-session=([^;]*)/.exec(mina.cookie)?.[1] ?? '');
    await s.deps.db
      .updateTable('sessions')
      .set({ expires_at: new Date(s.deps.clock() + 60_000).toISOString() })
      .execute();
    const bearer = { ...from, authorization: `Bearer ${token}` };
    for (const name of ['getViewer', 'signOut'] as const) {
      const response = await post(s, name, {}, { headers: name === 'signOut' ? from : bearer });
      expect([name, response.status, response.headers.getSetCookie()]).toEqual([name, 200, []]);
    }
    expect((await s.call(mina, 'getViewer', {})).user?.id).toBe(mina.id);
    await s.close();
  });

  it('37. sessions are not identified by a cookie that another host could set', async () => {
    const s = await openSite(await migrated(), { PUBLIC_URL: 'https://blog.example' });
    const mina = await s.member([], 'mina');
    const mallory = await s.member([], 'mallory');
    const theirs = mallory.cookie.replace(/^__Host-/, '');
    const usernameWith = async (cookie: string) =>
      (await post(s, 'getViewer', {}, { cookie })).result.user?.username;
    expect(await usernameWith(mina.cookie)).toBe('mina');
    expect(await usernameWith(`a=b;\t ${mina.cookie} \t; c=d`)).toBe('mina');
    // Without the prefix, which a host beside this one may set, and with blanks that are part of a name.
    for (const planted of [theirs, `\u00a0${mallory.cookie}`, `\u000b${mallory.cookie}`]) {
      expect([planted, await usernameWith(planted)]).toEqual([planted, undefined]);
      expect(await usernameWith(`${planted}; ${mina.cookie}`)).toBe('mina');
      expect(await usernameWith(`${mina.cookie}; ${planted}`)).toBe('mina');
    }
    // Nor by what acts on the session of a request by itself.
    const change = { currentPassword: 'x', newPassword: 'another' };
    const planted = { cookie: `\u00a0${mallory.cookie}` };
    expect((await post(s, 'changePassword', change, planted)).status).toBe(401);
    await s.close();
  });

  it('sessions store the address of the connection, whatever a header says', async () => {
    const s = await site();
    const forged = { 'x-forwarded-for': '198.51.100.66', 'x-coterie-peer': '198.51.100.67' };
    await post(s, 'signUp', account, { headers: forged, peer: '203.0.113.9' });
    await post(s, 'signIn', { email, password }, { headers: forged, peer: '203.0.113.9' });
    const rows = await s.deps.db.selectFrom('sessions').select('ip_address').execute();
    expect(rows.map(row => row.ip_address)).toEqual(['203.0.113.9', '203.0.113.9']);
  });

  it('38. sessions end with their streams a year after they began, however much they are used', async () => {
    const s = await site();
    const [one, two] = [await s.member([], 'one'), await s.member([], 'two')];
    const begun = (person: NonNullable<Person>, at: number) =>
      s.deps.db
        .updateTable('sessions')
        .set({
          created_at: new Date(at).toISOString(),
          expires_at: new Date(s.deps.clock() + 86_400_000).toISOString(),
        })
        .where('user_id', '=', person.id)
        .execute();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    const stream = new LiveStream(await s.request(`/live?post=${postId}`, one));
    await stream.until('state');
    await begun(one, s.deps.clock() - sessionMaxMs - 1);
    await begun(two, s.deps.clock() - sessionMaxMs + 60_000);
    expect(await stream.until('viewer')).toMatchObject({ user: null });
    expect((await s.call(one, 'getViewer', {})).user).toBeNull();
    expect((await s.call(two, 'getViewer', {})).user?.id).toBe(two.id);
    await begun(two, s.deps.clock() - sessionMaxMs - 1);
    await sweepSessions({ db: s.deps.db, clock: s.deps.clock });
    const left = await s.deps.db.selectFrom('sessions').select('user_id').execute();
    expect(left.map(row => row.user_id)).not.toContain(two.id);
  });
});
