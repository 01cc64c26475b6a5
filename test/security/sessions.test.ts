import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuth } from '../../server/accounts/auth.ts';
import { approveUser } from '../../server/accounts/decisions.ts';
import { sessionMaxMs, sweepSessions } from '../../server/accounts/sessions.ts';
import { signIn } from '../../server/accounts/sign-in.ts';
import { limitSignIn } from '../../server/accounts/sign-in-limits.ts';
import { timeOf } from '../../server/db/tables.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish } from '../factories.ts';
import { LiveStream } from '../live.ts';
import { insertSession } from '../people.ts';
import { cookieOf, openSite, type Person, refusal, type Site } from '../site.ts';
import { carry, objectPath, upload } from '../storage.ts';

const account = { username: 'mina', name: 'Mina Harker', email: 'mina@example.com', password: 'quincey' };
const elsewhere = 'https://app.example';

async function post(
  s: Site,
  name: string,
  data: unknown,
  headers: Record<string, string> = {},
  peer = '::1',
) {
  return await s.request(`/api/${name}`, null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
    peer,
  });
}

async function signedUp(s: Site): Promise<NonNullable<Person>> {
  const response = await post(s, 'signUp', account);
  const { result } = await response.json();
  await approveUser(s.deps, result.user.id);
  return { id: result.user.id, username: 'mina', cookie: cookieOf(response) };
}

const { email, password } = account;

describeEngines('sessions', ({ site, migrated }) => {
  it('38. a browser that signs out is told to drop what it has cached of the site, by each way to sign out', async () => {
    const s = await site();
    const mina = await signedUp(s);
    const cleared = async (name: string, data: unknown, headers: Record<string, string>) => {
      const answer = await post(s, name, data, headers);
      return [answer.status, answer.headers.get('clear-site-data')];
    };
    expect(await cleared('getViewer', {}, { cookie: mina.cookie })).toEqual([200, null]);
    expect(await cleared('signOut', {}, { cookie: mina.cookie })).toEqual([200, '"cache"']);
    const again = async () => ({ cookie: cookieOf(await post(s, 'signIn', { email, password })) });
    expect(await cleared('signOutEverywhere', {}, await again())).toEqual([200, '"cache"']);
    const gone = { comments: 'keep' };
    expect(await cleared('deleteAccount', gone, await again())).toEqual([200, '"cache"']);
  });

  it('38. a sign-in that is under way while the password changes leaves no session', async () => {
    const s = await site();
    const mina = await signedUp(s);
    // The password changes as soon as the sign-in has read what it compares the typed one with.
    let change: (() => Promise<unknown>) | undefined = () =>
      s.call(mina, 'changePassword', { currentPassword: password, newPassword: 'another1' });
    const db = s.deps.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const next = change;
        if (next === undefined || !result.rows.some(row => typeof row.password === 'string')) return result;
        change = undefined;
        await next();
        return result;
      },
    });
    const auth = createAuth(db, s.config, s.deps.secret, { sendReset: async () => {} });
    const entering = { ...s.deps, auth, request: new Headers(), reply: new Headers(), peer: null };
    expect(await refusal(signIn(entering, { email, password }))).toBe('unauthenticated');
    expect(change).toBeUndefined();
    expect([...entering.reply]).toEqual([]);
    const sessions = await s.deps.db.selectFrom('sessions').select('user_id').execute();
    expect(sessions).toEqual([{ user_id: mina.id }]);
    expect((await post(s, 'signIn', { email, password: 'another1' })).status).toBe(200);
  });

  it('37. give their secret to no script of a browser, and to a program that has no cookies', async () => {
    const s = await site();
    await signedUp(s);
    const tokenOf = async (headers: Record<string, string>) => {
      const response = await post(s, 'signIn', { email, password }, headers);
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

  it('34. are begun and ended in no browser by a page of a configured origin', async () => {
    const s = await openSite(await migrated(), { CORS_ORIGINS: elsewhere });
    const mina = await signedUp(s);
    const count = async () => (await s.deps.db.selectFrom('sessions').select('id').execute()).length;
    const before = await count();
    const from = { origin: elsewhere, 'sec-fetch-site': 'same-site' };
    for (const [name, data] of [
      ['signIn', { email, password }],
      ['signUp', { ...account, username: 'lucy', email: 'lucy@example.com' }],
    ] as const) {
      const response = await post(s, name, data, from);
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
      .set({ expires_at: new Date(Date.now() + 60_000).toISOString() })
      .execute();
    const bearer = { ...from, authorization: `Bearer ${token}` };
    for (const name of ['getViewer', 'signOut'] as const) {
      const response = await post(s, name, {}, name === 'signOut' ? from : bearer);
      expect([name, response.status, response.headers.getSetCookie()]).toEqual([name, 200, []]);
    }
    expect((await s.call(mina, 'getViewer', {})).user?.id).toBe(mina.id);
    await s.close();
  });

  it('37. are named by no cookie that another host could set', async () => {
    const s = await openSite(await migrated(), { PUBLIC_URL: 'https://blog.example' });
    const mina = await s.member([], 'mina');
    const mallory = await s.member([], 'mallory');
    const theirs = mallory.cookie.replace(/^__Host-/, '');
    const usernameWith = async (cookie: string) => {
      const headers = new Headers({ 'content-type': 'application/json' });
      headers.set('cookie', cookie);
      const response = await s.request('/api/getViewer', null, {
        method: 'POST',
        headers,
        body: '{"data":{}}',
      });
      return (await response.json()).result.user?.username;
    };
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
    const response = await s.request('/api/changePassword', null, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `\u00a0${mallory.cookie}` },
      body: JSON.stringify({ data: change }),
    });
    expect(response.status).toBe(401);
    await s.close();
  });

  it('note the address of the connection, whatever a header says', async () => {
    const s = await site();
    const forged = { 'x-forwarded-for': '198.51.100.66', 'x-coterie-peer': '198.51.100.67' };
    await post(s, 'signUp', account, forged, '203.0.113.9');
    await post(s, 'signIn', { email, password }, forged, '203.0.113.9');
    const rows = await s.deps.db.selectFrom('sessions').select('ip_address').execute();
    expect(rows.map(row => row.ip_address)).toEqual(['203.0.113.9', '203.0.113.9']);
  });

  it('38. end a year after they began, however much they are used, and their streams with them', async () => {
    const s = await site();
    const [one, two] = [await s.member([], 'one'), await s.member([], 'two')];
    const begun = (person: NonNullable<Person>, at: number) =>
      s.deps.db
        .updateTable('sessions')
        .set({
          created_at: new Date(at).toISOString(),
          expires_at: new Date(Date.now() + 86_400_000).toISOString(),
        })
        .where('user_id', '=', person.id)
        .execute();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    const stream = new LiveStream(await s.request(`/live?post=${postId}`, one));
    await stream.until('state');
    await begun(one, Date.now() - sessionMaxMs - 1);
    await begun(two, Date.now() - sessionMaxMs + 60_000);
    expect(await stream.until('viewer')).toMatchObject({ user: null });
    expect((await s.call(one, 'getViewer', {})).user).toBeNull();
    expect((await s.call(two, 'getViewer', {})).user?.id).toBe(two.id);
    await begun(two, Date.now() - sessionMaxMs - 1);
    await sweepSessions({ db: s.deps.db, clock: Date.now });
    const left = await s.deps.db.selectFrom('sessions').select('user_id').execute();
    expect(left.map(row => row.user_id)).not.toContain(two.id);
  });
});

describeEngines('sessions on a device that others use', ({ site }) => {
  const day = 24 * 60 * 60_000;
  const begin = async (s: Site, keepSignedIn?: boolean) => {
    const response = await post(s, 'signIn', {
      email,
      password,
      ...(keepSignedIn !== undefined && { keepSignedIn }),
    });
    const cookie = response.headers.getSetCookie().find(set => set.startsWith('coterie-session=')) ?? '';
    return { set: cookie, person: { id: '', username: 'mina', cookie: cookieOf(response) } };
  };
  const rows = (s: Site) =>
    s.deps.db.selectFrom('sessions').select(['id', 'expires_at', 'is_long']).orderBy('created_at').execute();

  it('38. end with the browser and after a day, however much they are used', async () => {
    const s = await site();
    await signedUp(s);
    await s.deps.db.deleteFrom('sessions').execute();
    const { set, person } = await begin(s, false);
    expect(set).not.toMatch(/Max-Age|Expires/i);
    const [before] = await rows(s);
    const left = timeOf(before?.expires_at ?? '') - Date.now();
    expect([left > day - 60_000, left <= day, Boolean(before?.is_long)]).toEqual([true, true, false]);
    // Used when a long one would go on.
    const used = await s.request('/account', person);
    expect(used.headers.getSetCookie()).toEqual([]);
    expect(await rows(s)).toEqual([before]);
    expect((await s.call(person, 'getAccount', {})).sessions).toMatchObject([{ isLong: false }]);
    await s.deps.db
      .updateTable('sessions')
      .set({ expires_at: new Date(Date.now() - 1).toISOString() })
      .execute();
    expect((await s.call(person, 'getViewer', {})).user).toBeNull();
  });

  it('stay short after a new password', async () => {
    const s = await site();
    await signedUp(s);
    const { person } = await begin(s, false);
    const response = await post(
      s,
      'changePassword',
      { currentPassword: password, newPassword: 'another1' },
      { cookie: person.cookie },
    );
    expect(response.headers.getSetCookie()[0]).toMatch(/^coterie-session=/);
    expect(response.headers.getSetCookie()[0]).not.toMatch(/Max-Age/i);
    expect((await rows(s)).map(row => Boolean(row.is_long))).toEqual([false]);
  });

  it('are asked for by the form without scripts, which leaves out what is not checked', async () => {
    const s = await site();
    await signedUp(s);
    const send = async (fields: Record<string, string>) => {
      const form = await s.request('/login', null, {
        method: 'POST',
        headers: {
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: `${new URLSearchParams({ email, password, ...fields })}`,
      });
      return form.headers.getSetCookie()[0] ?? '';
    };
    expect(await send({})).not.toMatch(/Max-Age/i);
    expect(await send({ keepSignedIn: 'on' })).toMatch(/Max-Age=2592000/i);
  });

  it('are not what others are: those go on with their use', async () => {
    const s = await site();
    await signedUp(s);
    await s.deps.db.deleteFrom('sessions').execute();
    const { set, person } = await begin(s);
    expect(set).toMatch(/Max-Age=2592000/i);
    await s.deps.db
      .updateTable('sessions')
      .set({ expires_at: new Date(Date.now() + day).toISOString() })
      .execute();
    const used = await s.request('/account', person);
    expect(used.headers.getSetCookie().join()).toMatch(/coterie-session=.*Max-Age=2592000/i);
    const [after] = await rows(s);
    expect(timeOf(after?.expires_at ?? '') - Date.now()).toBeGreaterThan(29 * day);
    expect((await s.call(person, 'getAccount', {})).sessions).toMatchObject([{ isLong: true }]);
  });
});

describeEngines('download addresses', ({ site }) => {
  it.each(['password', 'everywhere', 'log out', 'reset'] as const)(
    '38. end with the session that was given them: %s',
    async how => {
      const s = await site();
      const admin = await s.admin();
      const mina = await signedUp(s);
      const [postId = ''] = await publish(s, admin, essay({ tags: ['family'] }));
      const file = await upload(s, admin, 'posts/1_a.bin', 'bytes');
      await carry(s, postId, file.id);
      await s.call(admin, 'setApprovedTags', { userId: mina.id, tags: ['family'] });
      const described = await (await s.request(objectPath(file.name), mina)).json();
      const address = `${objectPath(file.name)}?alt=media&token=${described.downloadTokens}`;
      const opens = async () => (await s.request(address)).status;
      expect(await opens()).toBe(200);
      if (how === 'password') {
        await s.call(mina, 'changePassword', { currentPassword: password, newPassword: 'another' });
      }
      if (how === 'everywhere') await s.call(mina, 'signOutEverywhere', {});
      if (how === 'log out') await s.call(mina, 'signOut', {});
      if (how === 'reset') {
        await s.call(null, 'requestPasswordReset', { email });
        const mail = await s.deps.db
          .selectFrom('mails')
          .select('data')
          .where('kind', '=', 'reset')
          .executeTakeFirstOrThrow();
        const { token } = JSON.parse(mail.data) as { token: string };
        await s.call(null, 'resetPassword', { token, password: 'another' });
      }
      expect(await opens()).toBe(404);
    },
  );

  it('38. end with the access token that was given them, and are bound to it', async () => {
    const s = await site();
    const admin = await s.admin();
    const file = await upload(s, admin, 'posts/1_a.bin', 'bytes');
    const { token, accessToken } = await s.makeToken(admin, 'program');
    const asProgram = { headers: { authorization: `Bearer ${token}` } };
    const described = await (await s.request(objectPath(file.name), null, asProgram)).json();
    const opens = async (claim: string) =>
      (await s.request(`${objectPath(file.name)}?alt=media&token=${claim}`)).status;
    expect(await opens(described.downloadTokens)).toBe(200);
    await s.call(admin, 'revokeAccessToken', { tokenId: accessToken.id });
    expect(await opens(described.downloadTokens)).toBe(404);
    // From before an upgrade: such a token named the account, and no session.
    const claim = [file.id, admin.id, (s.deps.clock() + 60_000).toString(36)].join('.');
    const signature = createHmac('sha256', s.deps.secret).update(`download ${claim}`).digest('base64url');
    expect(await opens(`${claim}.${signature}`)).toBe(404);
  });
});

describeEngines('sign-ins and resets', ({ site }) => {
  it('40. make no flood of sessions: the oldest end, and too many are refused', async () => {
    const s = await site();
    const mina = await signedUp(s);
    const begun = async (count: number) => {
      for (let index = 0; index < count; index += 1) await insertSession(s.deps.db, s.deps.secret, mina.id);
    };
    await begun(60);
    expect((await post(s, 'signIn', { email, password })).status).toBe(200);
    const sessions = s.deps.db.selectFrom('sessions').select('id').where('user_id', '=', mina.id);
    expect(await sessions.execute()).toHaveLength(50);
    const signIn = () => limitSignIn({ ...s.deps, peer: '203.0.113.9' }, email, async () => 'in');
    for (let index = 0; index < 59; index += 1) expect(await signIn()).toBe('in');
    expect(await refusal(signIn())).toBe('resource-exhausted');
    s.wait(15 * 60_000);
    expect(await signIn()).toBe('in');
  });

  it('40. leave the reset of an account to its owner, however often strangers ask', async () => {
    const s = await site();
    const mina = await signedUp(s);
    const mails = async () =>
      (await s.deps.db.selectFrom('mails').select('data').where('kind', '=', 'reset').execute()).map(
        row => (JSON.parse(row.data) as { token: string }).token,
      );
    const ask = async (peer: string) => (await post(s, 'requestPasswordReset', { email }, {}, peer)).status;
    for (let index = 0; index < 5; index += 1) expect(await ask('198.51.100.1')).toBe(200);
    expect(await ask('198.51.100.1')).toBe(429);
    // Nor do many networks: what they have asked for is in the owner's mailbox, and once in minutes.
    for (let index = 2; index < 12; index += 1) expect(await ask(`198.51.100.${index}`)).toBe(200);
    expect(await mails()).toHaveLength(1);
    s.wait(5 * 60_000);
    expect(await ask('203.0.113.9')).toBe(200);
    const tokens = await mails();
    expect(tokens).toHaveLength(2);
    await s.call(null, 'resetPassword', { token: tokens[0] ?? '', password: 'my own one' });
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    // Its link is over: the next one is mailed at once.
    expect(await ask('203.0.113.9')).toBe(200);
    expect(await mails()).toHaveLength(3);
  });
});
