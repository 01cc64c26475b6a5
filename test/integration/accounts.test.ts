import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { approveUser, denyUser } from '../../server/accounts/members/decide.ts';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { setupLink } from '../../server/accounts/sign-in/setup.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { cookieOf, post, refusal } from '../support/site.ts';

const account = { username: 'Mina_H', name: 'Mina Harker', email: 'Mina@Example.com', password: 'quincey' };

describeEngines(({ site, siteWithAdmin }) => {
  it('39. an account is pending after signing up, and has the rights of a member after approval without signing in again', async () => {
    const s = await site();
    const { result, id, cookie, username } = await post(s, 'signUp', account);
    expect(result).toEqual({
      user: {
        id: expect.any(String),
        username: 'Mina_H',
        name: 'Mina Harker',
        email: 'mina@example.com',
        isAdmin: false,
        isAuthor: false,
        isApproved: false,
        pendingApproval: true,
        isEmailConfirmed: false,
        mustConfirmEmail: false,
        isMuted: false,
        needsSecondFactor: false,
      },
      can: { like: false, comment: false, write: false, administer: false },
      rights: expect.any(String),
    });
    const mina = { id, cookie, username };
    expect((await s.call(mina, 'getViewer', {})).can.like).toBe(false);
    await approveUser(s.deps, mina.id);
    expect((await s.call(mina, 'getViewer', {})).can.like).toBe(true);
    await denyUser(s.deps, mina.id);
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    await approveUser(s.deps, mina.id);
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
  });

  it('the site keeps an introduction on one line, and shows it only to admins', async () => {
    const s = await site();
    const introduction = '  I am\tWilhelmina,\n\nLucy\u2019s friend \u{1f469}\u200d\u{1f469} ';
    await post(s, 'signUp', { ...account, introduction });
    const admin = await s.admin();
    const { users } = await s.call(admin, 'getUsers', { list: 'pending' });
    expect(users.map(user => user.introduction)).toEqual([
      'I am Wilhelmina, Lucy\u2019s friend \u{1f469}\u200d\u{1f469}',
    ]);
    const others = { ...account, username: 'other', email: 'other@example.com' };
    for (const wrong of ['x'.repeat(301), 'turned \u202e round', 'bell \u0007 rings']) {
      const answer = await post(s, 'signUp', { ...others, introduction: wrong });
      expect([answer.status, Object.keys(answer.error.details.fields)]).toEqual([400, ['introduction']]);
    }
    // Blanks alone count as no introduction.
    await post(s, 'signUp', { ...others, introduction: ' \n ' });
    const listed = await s.call(admin, 'getUsers', { list: 'pending', search: 'other' });
    expect(listed.users.map(user => user.introduction)).toEqual([null]);
  });

  it('a form that a browser sends without scripts signs up, and says what was refused', async () => {
    const s = await site();
    const submit = (fields: Record<string, string>, origin = s.config.publicUrl) =>
      s.request('/signup', null, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ ...account, introduction: 'A friend.', website: '', ...fields }),
        redirect: 'manual',
      });
    const refused = await submit({ password: 'short' });
    const back = refused.headers.get('location') ?? '';
    expect(back).toBe('/signup?failed=refused&username=Mina_H&name=Mina+Harker&email=Mina%40Example.com');
    const page = await (await s.request(back)).text();
    expect(page).toContain('Failed to create an account. Please look at what you entered.');
    expect(page).toContain('value="Mina_H"');
    expect(back + page).not.toMatch(/[=">]short|A friend/);
    expect((await submit({}, 'https://elsewhere.example')).status).toBe(403);
    const done = await submit({});
    expect([done.status, done.headers.get('location')]).toEqual([303, '/']);
    const mina = { id: '', username: 'mina_h', cookie: cookieOf(done) };
    expect((await s.call(mina, 'getViewer', {})).user?.pendingApproval).toBe(true);
    expect((await submit({})).headers.get('location')).toMatch(/^\/signup\?failed=taken-/);
    expect((await submit({ introduction: 'x'.repeat(301) })).headers.get('location')).toMatch(
      /failed=introduction/,
    );
  });

  it('the site signs browsers in with a cookie and programs with a token, and out again', async () => {
    const s = await site();
    await post(s, 'signUp', account);
    const signedIn = await post(s, 'signIn', { email: ' mina@example.com', password: 'quincey' });
    expect(signedIn.headers.getSetCookie().join()).toMatch(/^coterie-session=.*HttpOnly; SameSite=Lax/);
    const { cookie } = signedIn;
    const bearer = { authorization: `Bearer ${signedIn.headers.get('set-auth-token')}` };
    expect((await post(s, 'getViewer', {}, { cookie })).username).toBe('Mina_H');
    expect((await post(s, 'getViewer', {}, { headers: bearer })).username).toBe('Mina_H');
    await post(s, 'signOut', {}, { cookie });
    expect((await post(s, 'getViewer', {}, { cookie })).result.user).toBeNull();
    expect((await post(s, 'getViewer', {}, { headers: bearer })).status).toBe(401);
  });

  it.each(['Bearer nonsense', 'Bearer a.b', 'Basic YTpi', 'Bearer'])(
    'the site refuses the authorization %j',
    async authorization => {
      const s = await site();
      expect((await post(s, 'getPosts', {}, { headers: { authorization } })).status).toBe(401);
    },
  );

  it('41. the site gives the same answer for an unknown address and a wrong password', async () => {
    const s = await site();
    await post(s, 'signUp', account);
    const bodies = await Promise.all(
      [
        { email: 'mina@example.com', password: 'wrong-one' },
        { email: 'nobody@example.com', password: 'wrong-one' },
      ].map(async credentials => {
        const { status, text } = await post(s, 'signIn', credentials);
        return [status, text];
      }),
    );
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]?.[0]).toBe(401);
  });

  it.each([
    [{ username: 'mi' }, 'username'],
    [{ username: 'mina harker' }, 'username'],
    [{ username: 'мина' }, 'username'],
    [{ username: 'a'.repeat(21) }, 'username'],
    [{ username: 'Adm1n_2' }, 'username'],
    [{ name: 'M' }, 'name'],
    [{ name: 'a'.repeat(26) }, 'name'],
    [{ email: 'mina' }, 'email'],
    [{ email: '"a@x b"@example.com' }, 'email'],
    [{ password: 'short' }, 'password'],
    [{ password: 'a'.repeat(21) }, 'password'],
  ])('26, 27. the sign-up refuses %j', async (change, field) => {
    const s = await site();
    const { error } = await post(s, 'signUp', { ...account, ...change });
    expect(error.status).toBe('INVALID_ARGUMENT');
    expect(Object.keys(error.details.fields)).toEqual([field]);
  });

  it.each([
    [{ email: 'other@example.com', username: 'MINA_h' }, 'username'],
    [{ email: 'MINA@example.com', username: 'other' }, 'email'],
  ])('26, 27. the sign-up refuses the taken %j', async (change, field) => {
    const s = await site();
    await post(s, 'signUp', account);
    const { error } = await post(s, 'signUp', { ...account, ...change });
    expect(error.status).toBe('ALREADY_EXISTS');
    expect(Object.keys(error.details.fields)).toEqual([field]);
  });

  it('15. the site takes approval, admin rights and ids from no client', async () => {
    const s = await site();
    const forged = {
      isAdmin: true,
      isApproved: true,
      pendingApproval: false,
      status: 'approved',
      id: 'me',
      approvedTags: ['x'],
    };
    for (const [name, value] of Object.entries(forged)) {
      const answer = await post(s, 'signUp', { ...account, [name]: value });
      expect([answer.status, answer.error.message]).toEqual([400, `Unknown field ${name} here.`]);
    }
    const { result } = await post(s, 'signUp', account);
    expect(result.user).toMatchObject({ isAdmin: false, isApproved: false, pendingApproval: true });
  });

  it('45. the setup link makes only one admin, also when several use it at once', async () => {
    const s = await site();
    const link = await setupLink(s.deps);
    // Each process of a site prints one, and all of them work.
    expect(await setupLink(s.deps)).toBe(link);
    const token = new URL(link ?? '').searchParams.get('token') ?? '';
    const attempts = ['one', 'two', 'three'].map(
      username => () =>
        post(s, 'setUpSite', { token, account: { ...account, username, email: `${username}@example.com` } }),
    );
    const page = async (path: string) => {
      const response = await s.request(path);
      return [response.status, await response.text()] as const;
    };
    // The link is looked at before somebody fills in a form in vain; looking does not use it up.
    expect(await page(`/setup?token=${token}`)).toEqual([200, expect.stringContaining('Create account')]);
    for (const [path, status, text] of [
      ['/setup?token=x', 403, 'This setup link is no longer valid.'],
      ['/setup', 200, 'open the setup link that the server prints'],
    ] as const) {
      expect(await page(path)).toEqual([status, expect.stringContaining(text)]);
      expect(await page(path)).toEqual([status, expect.not.stringContaining('<form')]);
    }
    const statuses = (await Promise.all(attempts.map(attempt => attempt()))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 403, 403]);
    expect(await setupLink(s.deps)).toBeUndefined();
    const refused = expect.stringContaining('This site is already set up.');
    expect(await page(`/setup?token=${token}`)).toEqual([403, refused]);
    expect((await post(s, 'setUpSite', { token, account })).status).toBe(403);
  });

  it('the setup link still works when the account could not be made', async () => {
    const s = await site();
    await s.signUp('taken');
    const token = new URL((await setupLink(s.deps)) ?? '').searchParams.get('token') ?? '';
    expect((await post(s, 'setUpSite', { token, account: { ...account, username: 'taken' } })).status).toBe(
      409,
    );
    expect((await post(s, 'setUpSite', { token, account })).status).toBe(200);
  });

  it('a set-up that fails at its end leaves no account, and its link still works', async () => {
    const s = await site();
    const token = new URL((await setupLink(s.deps)) ?? '').searchParams.get('token') ?? '';
    await sql`alter table history rename to history_elsewhere`.execute(s.deps.db);
    expect((await post(s, 'setUpSite', { token, account })).status).toBe(500);
    expect(await s.deps.db.selectFrom('users').select('username').execute()).toEqual([]);
    await sql`alter table history_elsewhere rename to history`.execute(s.deps.db);
    expect((await post(s, 'setUpSite', { token, account })).status).toBe(200);
  });

  it('the site refuses to deny an admin', async () => {
    const [s, admin] = await siteWithAdmin();
    expect(await refusal(denyUser(s.deps, admin.id))).toBe('failed-precondition');
    expect(await refusal(makeAdmin(s.deps, 'nobody'))).toBe('not-found');
  });

  it('the site refuses calls from other sites, with other content types, and of unknown operations', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, essay());
    const send = (path: string, init: RequestInit) => s.request(path, admin, { method: 'POST', ...init });
    const json = { 'content-type': 'application/json' };
    const statuses = await Promise.all([
      send('/api/getPosts', { headers: { ...json, 'sec-fetch-site': 'cross-site' }, body: '{"data":{}}' }),
      send('/api/getPosts', { headers: { ...json, 'sec-fetch-site': 'same-site' }, body: '{"data":{}}' }),
      send('/api/getPosts', { headers: { 'content-type': 'text/plain' }, body: '{"data":{}}' }),
      send('/api/getPosts', { headers: { 'content-type': 'multipart/form-data' }, body: '{"data":{}}' }),
      send('/api/getPosts', { headers: json, body: '{"data":{},"more":1}' }),
      send('/api/getPosts', { headers: json, body: '[]' }),
      send('/api/getPosts', { headers: json, body: '{' }),
      send('/api/getPosts', { headers: json, body: '' }),
      send('/api/__proto__', { headers: json, body: '{"data":{}}' }),
      send('/api/toString', { headers: json, body: '{"data":{}}' }),
      s.request('/api/getPosts', admin),
    ]).then(responses => responses.map(response => response.status));
    expect(statuses).toEqual([403, 403, 400, 400, 400, 400, 400, 400, 404, 404, 405]);
  });
});
