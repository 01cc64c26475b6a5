import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { visitor } from '../../server/access/viewer.ts';
import { disconnect, endAccess } from '../../server/accounts/access-token.ts';
import { approveUser, setApprovedTags } from '../../server/accounts/decisions.ts';
import { signInMethod } from '../../server/accounts/insert.ts';
import { enter as enterByPerson } from '../../server/openid/enter.ts';
import { flowOf, flowText } from '../../server/openid/flow.ts';
import { describeEngines } from '../engines.ts';
import { publish, shortPost } from '../factories.ts';
import { noticesOf } from '../notices.ts';
import { type OpenidProvider, startOpenidProvider, walkThroughProvider } from '../openid-provider.ts';
import { ageSessions, openSite, type Person, refusal, type Site } from '../site.ts';

const siteUrl = 'http://localhost:3000';
let provider: OpenidProvider;
beforeAll(async () => {
  provider = await startOpenidProvider(siteUrl);
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.people.clear();
  provider.intercept(() => undefined);
});

const mina = { sub: 'mina', name: 'Mina Harker', email: 'mina@example.com', email_verified: true };

/** The first cookies of an answer, as a browser sends them back. */
const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .filter(cookie => !/=;/.test(cookie))
    .map(cookie => cookie.split(';')[0])
    .join('; ');

const flowCookie = /(?:^|; )coterie-openid=([^;]*)/;

async function begin(s: Site): Promise<{ url: string; cookie: string }> {
  const response = await s.request('/login/openid?next=/tags/red');
  return { url: response.headers.get('location') ?? '', cookie: cookiesOf(response) };
}

/** The way back from the provider, as the browser that holds `cookie`. */
async function comeBack(s: Site, url: string, cookie: string): Promise<Response> {
  const { pathname, search } = new URL(url);
  return await s.request(`${pathname}${search}`, null, { headers: { cookie } });
}

/** Signs in over the provider. Returns where it led and the person with their session. */
async function enter(s: Site, login: string) {
  const { url, cookie } = await begin(s);
  const response = await comeBack(s, await walkThroughProvider(url, login), cookie);
  const person: Person = { id: '', username: '', cookie: cookiesOf(response) };
  return { led: response.headers.get('location'), person };
}

/** A member with a password, signed in. */
async function memberWithPassword(s: Site, password: string) {
  const member = await s.member();
  const passwordHash = await (await s.deps.auth.$context).password.hash(password);
  const method = signInMethod({ userId: member.id, passwordHash, createdAt: 0 });
  await s.deps.db.insertInto('accounts').values(method).execute();
  return member;
}

const accounts = async (s: Site) =>
  await s.deps.db.selectFrom('users').select(['id', 'email', 'status', 'email_verified']).execute();

describeEngines('signing in with an OpenID provider', ({ migrated }) => {
  const open = async () => await openSite(await migrated(), { ...provider.environment, PUBLIC_URL: siteUrl });
  const withSite = (act: (s: Site) => Promise<void>) => async () => {
    const s = await open();
    try {
      await act(s);
    } finally {
      await s.close();
    }
  };

  it(
    'makes an account that waits for approval, and finds it again',
    withSite(async s => {
      provider.people.set('mina', mina);
      const first = await enter(s, 'mina');
      expect(first.led).toBe('/tags/red');
      const { user } = await s.call(first.person, 'getViewer', {});
      expect(user).toMatchObject({
        username: 'mina_harker',
        name: 'Mina Harker',
        email: 'mina@example.com',
        pendingApproval: true,
        isEmailConfirmed: true,
      });
      // Another address there is no other person.
      provider.people.set('mina', { ...mina, email: 'wilhelmina@example.com' });
      const second = await enter(s, 'mina');
      expect((await s.call(second.person, 'getViewer', {})).user?.id).toBe(user?.id);
      expect(await accounts(s)).toHaveLength(1);
    }),
  );

  it(
    'gives no newcomer a username that reads like that of an admin',
    withSite(async s => {
      provider.people.set('eve', { ...mina, sub: 'eve', preferred_username: 'Admin' });
      const { person } = await enter(s, 'eve');
      expect((await s.call(person, 'getViewer', {})).user?.username).toBe('reader');
    }),
  );

  it(
    'gives nobody an account that has the address already, confirmed or not',
    withSite(async s => {
      const owner = await s.signUp('owner');
      const { email } = await s.deps.db
        .selectFrom('users')
        .select('email')
        .where('id', '=', owner.id)
        .executeTakeFirstOrThrow();
      for (const email_verified of [true, false]) {
        provider.people.set('thief', { sub: 'thief', email, email_verified });
        const { led, person } = await enter(s, 'thief');
        expect(led).toBe('/login?failed=openid-taken');
        expect(person?.cookie).toBe('');
      }
      expect(await accounts(s)).toHaveLength(1);
    }),
  );

  it(
    'leaves an address that the provider has not confirmed unconfirmed',
    withSite(async s => {
      provider.people.set('lucy', { sub: 'lucy', email: 'lucy@example.com' });
      await enter(s, 'lucy');
      expect((await accounts(s)).map(({ email_verified }) => Boolean(email_verified))).toEqual([false]);
      const mails = await s.deps.db.selectFrom('mails').select('kind').execute();
      expect(mails).toEqual([{ kind: 'confirm' }]);
    }),
  );

  it(
    'says so when the person cancels, tells no address, or the provider is away',
    withSite(async s => {
      const { url, cookie } = await begin(s);
      const cancelled = await walkThroughProvider(url, 'mina', { isCancelled: true });
      expect((await comeBack(s, cancelled, cookie)).headers.get('location')).toBe(
        '/login?failed=openid-cancelled',
      );
      provider.people.set('nobody', { sub: 'nobody' });
      expect((await enter(s, 'nobody')).led).toBe('/login?failed=openid-address');
      const other = await open();
      provider.intercept(() => [503, {}]);
      const away = await other.request('/login/openid');
      expect(away.headers.get('location')).toBe('/login?failed=openid-away');
      await other.close();
      expect(await accounts(s)).toHaveLength(0);
    }),
  );

  it(
    'refuses an answer with another state, nonce, verifier or issuer, for another browser, and a second time',
    withSite(async s => {
      provider.people.set('mina', mina);
      const back = async (change: (url: URL, flow: NonNullable<ReturnType<typeof flowOf>>) => void) => {
        const { url, cookie } = await begin(s);
        const href = new URL(await walkThroughProvider(url, 'mina'));
        const flow = flowOf(flowCookie.exec(cookie)?.[1]);
        if (flow === undefined) throw new Error('There is no cookie.');
        change(href, flow);
        const response = await comeBack(s, href.href, `coterie-openid=${flowText(flow)}`);
        return [response.headers.get('location'), cookiesOf(response)];
      };
      const refused = ['/login?failed=openid', ''];
      const other = 'x'.repeat(43);
      expect(await back(url => url.searchParams.set('state', other))).toEqual(refused);
      expect(await back((_, flow) => Object.assign(flow, { nonce: other }))).toEqual(refused);
      expect(await back((_, flow) => Object.assign(flow, { codeVerifier: other }))).toEqual(refused);
      // Another provider that mixes its answer in (RFC 9207).
      expect(await back(url => url.searchParams.set('iss', 'https://evil.example'))).toEqual(refused);
      expect(await back(url => url.searchParams.delete('iss'))).toEqual(refused);
      const { url, cookie } = await begin(s);
      const href = await walkThroughProvider(url, 'mina');
      const stranger = await comeBack(s, href, '');
      expect([stranger.headers.get('location'), cookiesOf(stranger)]).toEqual(refused);
      expect((await comeBack(s, href, cookie)).headers.get('location')).toBe('/tags/red');
      const again = await comeBack(s, href, cookie);
      expect([again.headers.get('location'), cookiesOf(again)]).toEqual(refused);
      expect(await accounts(s)).toHaveLength(1);
    }),
  );

  it(
    'is not begun by the page of another site',
    withSite(async s => {
      const response = await s.request('/login/openid', null, {
        headers: { 'sec-fetch-site': 'cross-site' },
      });
      expect([response.status, cookiesOf(response)]).toEqual([403, '']);
    }),
  );

  it(
    'connects an account only after a recent sign-in and for the session that asked, and tells by mail',
    withSite(async s => {
      provider.people.set('mina', mina);
      const member = await memberWithPassword(s, 'quincey');
      await ageSessions(s);
      expect(await refusal(s.call(member, 'connectOpenid', {}))).toBe('failed-precondition');
      await s.call(member, 'confirmPassword', { currentPassword: 'quincey' });
      const ask = await s.request('/api/connectOpenid', member, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"data":{}}',
      });
      const { url } = (await ask.json()).result;
      const cookie = cookiesOf(ask);
      const thief = await s.member();
      const asThief = await comeBack(s, await walkThroughProvider(url, 'mina'), `${cookie}; ${thief.cookie}`);
      expect(asThief.headers.get('location')).toBe('/account?failed=openid');
      // Who finds the browser open writes into its cookie that a plain log-in was begun to connect.
      await ageSessions(s);
      const forged = async (sessionId: string | undefined, headers: Record<string, string>) => {
        const begun = await begin(s);
        const flow = flowOf(flowCookie.exec(begun.cookie)?.[1]);
        if (flow === undefined || sessionId === undefined) throw new Error('There is nothing to forge.');
        const text = flowText({ ...flow, purpose: { kind: 'connect', sessionId } });
        const { pathname, search } = new URL(await walkThroughProvider(begun.url, 'mina'));
        const cookies = `coterie-openid=${text}; ${headers.cookie ?? ''}`;
        const back = await s.request(`${pathname}${search}`, null, {
          headers: { ...headers, cookie: cookies },
        });
        return back.headers.get('location');
      };
      const { sessions } = await s.call(member, 'getAccount', {});
      const current = sessions.find(({ isCurrent }) => isCurrent)?.id;
      expect(await forged(current, { cookie: member.cookie })).toBe('/account?failed=openid-recent');
      await s.call(member, 'confirmPassword', { currentPassword: 'quincey' });
      const { token } = await s.call(member, 'createAccessToken', { name: 'reader', scopes: ['read'] });
      const tokenId = (await s.call(member, 'listAccessTokens', {})).tokens[0]?.id;
      expect(await forged(tokenId, { authorization: `Bearer ${token}` })).toBe('/account?failed=openid');
      expect(await s.call(member, 'getAccount', {})).toMatchObject({ isConnected: false });
      const own = await comeBack(s, await walkThroughProvider(url, 'mina'), `${cookie}; ${member.cookie}`);
      expect(own.headers.get('location')).toBe('/account?done=connected');
      const connected = { notice: 'provider-connected', name: expect.any(String) };
      expect(await noticesOf(s, member)).toContainEqual(connected);
      const { person } = await enter(s, 'mina');
      expect((await s.call(person, 'getViewer', {})).user?.id).toBe(member.id);
      expect(await s.call(member, 'getAccount', {})).toMatchObject({ isConnected: true, hasPassword: true });
      await s.call(member, 'disconnectOpenid', {});
      // The address is another one, so this is somebody new.
      const { person: stranger } = await enter(s, 'mina');
      expect((await s.call(stranger, 'getViewer', {})).user?.id).not.toBe(member.id);
    }),
  );

  it(
    'begins a session that ends with the browser where that was chosen',
    withSite(async s => {
      provider.people.set('mina', mina);
      for (const [query, isLong] of [
        ['', true],
        ['?keep=no', false],
      ] as const) {
        const begun = await s.request(`/login/openid${query}`);
        const url = await walkThroughProvider(begun.headers.get('location') ?? '', 'mina');
        const back = await comeBack(s, url, cookiesOf(begun));
        const session = back.headers.getSetCookie().find(set => set.startsWith('coterie-session='));
        expect(/max-age/i.test(session ?? '')).toBe(isLong);
      }
    }),
  );

  it(
    'confirms who is signed in by a new log-in at the provider, of the same person, in the session that asked',
    withSite(async s => {
      provider.people.set('mina', mina);
      provider.people.set('lucy', { sub: 'lucy', email: 'lucy@example.com' });
      const { person } = await enter(s, 'mina');
      const { person: lucy } = await enter(s, 'lucy');
      await ageSessions(s);
      const isRecent = async () => (await s.call(person, 'getAccount', {})).hasRecentSignIn;
      const ask = async () => {
        const asked = await s.request('/login/openid?confirm', person);
        return { url: new URL(asked.headers.get('location') ?? ''), cookie: cookiesOf(asked) };
      };
      const answer = async (login: string, as: Person, change: (url: URL) => void = () => {}) => {
        const { url, cookie } = await ask();
        change(url);
        const led = await walkThroughProvider(url.href, login);
        const back = await comeBack(s, led, [cookie, as?.cookie].join('; '));
        return [back.headers.get('location'), cookiesOf(back)];
      };
      const { url } = await ask();
      expect([url.searchParams.get('prompt'), url.searchParams.get('max_age')]).toEqual(['login', '600']);
      const refused = ['/account?failed=openid', ''];
      // Somebody else there, another session here, and a provider that does not say when they logged in.
      expect(await answer('lucy', person)).toEqual(refused);
      expect(await answer('mina', lucy)).toEqual(refused);
      expect(await answer('mina', null)).toEqual(refused);
      const unasked = (url: URL) => {
        url.searchParams.delete('max_age');
        url.searchParams.delete('prompt');
      };
      expect(await answer('mina', person, unasked)).toEqual(refused);
      expect(await isRecent()).toBe(false);
      expect(await answer('mina', person)).toEqual(['/account?done=confirmed', '']);
      expect(await isRecent()).toBe(true);
      expect((await s.call(lucy, 'getAccount', {})).hasRecentSignIn).toBe(false);
      expect((await s.request('/login/openid?confirm')).headers.get('location')).toBe(
        '/account?failed=openid',
      );
    }),
  );

  it(
    'begins a session that is as recent as the log-in at the provider, and never more',
    withSite(async s => {
      provider.people.set('mina', mina);
      const first = await enter(s, 'mina');
      const isRecent = async (as: Person) => (await s.call(as, 'getAccount', {})).hasRecentSignIn;
      expect(await isRecent(first.person)).toBe(true);
      expect(await isRecent((await enter(s, 'mina')).person)).toBe(true);
      // Whoever finds a browser that is logged in there could leave out the question.
      const { url, cookie } = await begin(s);
      const silent = new URL(url);
      silent.searchParams.delete('max_age');
      const back = await comeBack(s, await walkThroughProvider(silent.href, 'mina'), cookie);
      expect(back.headers.get('location')).toBe('/tags/red');
      expect(await isRecent({ id: '', username: '', cookie: cookiesOf(back) })).toBe(false);
    }),
  );

  it(
    'ends the connection with a new password, and keeps the only way in from being disconnected',
    withSite(async s => {
      provider.people.set('mina', mina);
      const { person } = await enter(s, 'mina');
      await expect(s.call(person, 'disconnectOpenid', {})).rejects.toThrow('has no password yet');
      const [account] = await accounts(s);
      await s.call(null, 'requestPasswordReset', { email: 'mina@example.com' });
      const { data } = await s.deps.db
        .selectFrom('mails')
        .select('data')
        .where('kind', '=', 'reset')
        .executeTakeFirstOrThrow();
      await s.call(null, 'resetPassword', { token: JSON.parse(data).token, password: 'quincey' });
      expect((await enter(s, 'mina')).led).toBe('/login?failed=openid-taken');
      expect((await accounts(s)).map(({ id }) => id)).toEqual([account?.id]);
    }),
  );

  it(
    'leaves no session and no tags where a new password ends the connection while somebody comes back',
    withSite(async s => {
      provider.people.set('mina', mina);
      const { person } = await enter(s, 'mina');
      const id = (await s.call(person, 'getViewer', {})).user?.id ?? '';
      await publish(s, await s.admin(), shortPost('shut', ['red']));
      // What a new password does happens as soon as the way back has found the account.
      let change: (() => Promise<unknown>) | undefined = () =>
        s.deps.db.transaction().execute(async trx => {
          await endAccess(trx, id);
          await disconnect(trx, id);
        });
      const db = s.deps.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          const next = change;
          if (next === undefined || !result.rows.some(row => row.user_id === id)) return result;
          change = undefined;
          await next();
          return result;
        },
      });
      const reply = new Headers();
      const viewer = visitor(new Set<string>());
      const invocation = {
        ...s.deps,
        db,
        viewer,
        credential: null,
        request: new Headers(),
        reply,
        peer: null,
      };
      const nothing = { email: undefined, name: undefined, username: undefined, shownAt: undefined };
      const back = { ...nothing, issuer: provider.issuer, subject: 'mina', isEmailVerified: false };
      await expect(enterByPerson(invocation, { ...back, tags: ['red'] }, { isLong: true })).rejects.toThrow(
        'This sign-in has ended.',
      );
      expect(change).toBeUndefined();
      expect([...reply]).toEqual([]);
      for (const table of ['sessions', 'approved_tags'] as const) {
        expect(
          await s.deps.db.selectFrom(table).select('user_id').where('user_id', '=', id).execute(),
        ).toEqual([]);
      }
    }),
  );

  it(
    'adds the tags that the provider names, never those that an admin has taken, and nothing before approval',
    withSite(async s => {
      const admin = await s.admin();
      const [postId = ''] = await publish(s, admin, shortPost('shut', ['red']));
      await publish(s, admin, shortPost('other', ['blue']));
      provider.people.set('mina', { ...mina, groups: ['Red', 'unheard of'] });
      const { person } = await enter(s, 'mina');
      await expect(s.call(person, 'getPost', { postId })).rejects.toThrow();
      const id = (await s.call(person, 'getViewer', {})).user?.id ?? '';
      await approveUser(s.deps, id);
      expect(await s.call(person, 'getPost', { postId })).toMatchObject({ post: { id: postId } });
      await setApprovedTags(s.deps, id, []);
      provider.people.set('mina', { ...mina, groups: ['red', 'blue'] });
      const later = await enter(s, 'mina');
      const allowed = await s.deps.db
        .selectFrom('approved_tags')
        .innerJoin('tags', 'tags.id', 'approved_tags.tag_id')
        .select('tags.name')
        .where('user_id', '=', id)
        .execute();
      expect(allowed).toEqual([{ name: 'blue' }]);
      await expect(s.call(later.person, 'getPost', { postId })).rejects.toThrow();
    }),
  );
});
