import { expect, it } from 'vitest';
import { viewerOfUser, visitor } from '../../server/access/viewer.ts';
import { flowOf, flowText } from '../../server/accounts/openid/flow.ts';
import {
  confirm,
  signInByProvider as enterByPerson,
} from '../../server/accounts/openid/sign-in-by-provider.ts';
import { disconnect, endAccess } from '../../server/accounts/sessions/end-access.ts';
import { signInMethod } from '../../server/accounts/sign-in/insert.ts';
import { hourMs } from '../../server/base/clock.ts';
import { examine } from '../../server/cli/examine.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { noticesOf } from '../support/notices.ts';
import {
  accounts,
  begin,
  comeBack,
  cookiesOf,
  enter,
  flowCookie,
  mina,
  openidProvider,
  openidSites,
} from '../support/openid.ts';
import { walkThroughProvider } from '../support/openid-provider.ts';
import { onceRead } from '../support/queries.ts';
import { mailOfKind } from '../support/rows.ts';
import { ageSessions, type Person, refusal, type Site } from '../support/site.ts';

const provider = await openidProvider();

/** A member with a password, signed in. */
async function memberWithPassword(s: Site, password: string) {
  const member = await s.member();
  const passwordHash = await s.deps.hashing.hash(password);
  const method = signInMethod({ userId: member.id, passwordHash, createdAt: 0 });
  await s.deps.db.insertInto('sign_in_methods').values(method).execute();
  return member;
}

describeEngines(({ migrated }) => {
  const { withSite } = openidSites(provider, migrated);

  it(
    'the site connects an account only after a recent sign-in and for the session that asked, and tells by mail',
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
      // Somebody at the open browser changes its cookie, as if the log-in had been begun to connect.
      await ageSessions(s);
      const forged = async (sessionId: string | undefined, headers: Record<string, string>) => {
        const begun = await begin(s);
        const flow = flowOf(flowCookie.exec(begun.cookie)?.[1]);
        if (flow === undefined || sessionId === undefined) throw new Error('There is nothing to forge.');
        const text = flowText({ ...flow, purpose: { kind: 'connect', sessionId } });
        const { pathname, search } = new URL(await walkThroughProvider(begun.url, 'mina'));
        const cookies = `coterie-openid-${flow.state}=${text}; ${headers.cookie ?? ''}`;
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
      // Two ways in are no fault.
      expect(await examine(s.deps)).toEqual([]);
      await s.call(member, 'disconnectOpenid', {});
      // The address is another one, so this is somebody new.
      const { person: stranger } = await enter(s, 'mina');
      expect((await s.call(stranger, 'getViewer', {})).user?.id).not.toBe(member.id);
    }),
  );

  it(
    'the site tells on the account page why it was not connected',
    withSite(async s => {
      provider.people.set('mina', mina);
      provider.people.set('lucy', { sub: 'lucy', email: 'lucy@example.com' });
      const member = await memberWithPassword(s, 'quincey');
      const begun = async () => {
        const ask = await s.request('/api/connectOpenid', member, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"data":{}}',
        });
        return { url: (await ask.json()).result.url, cookie: `${cookiesOf(ask)}; ${member.cookie}` };
      };
      const [first, second] = [await begun(), await begun()];
      await comeBack(s, await walkThroughProvider(first.url, 'mina'), first.cookie);
      const back = await comeBack(s, await walkThroughProvider(second.url, 'lucy'), second.cookie);
      const page = await s.request(back.headers.get('location') ?? '', member);
      expect(await page.text()).toContain('Your account is connected with another one at');
      // Whoever has come back too often is led here with this reason.
      const late = await s.request('/account?failed=later', member);
      expect(await late.text()).toContain('Too many attempts. Please try again later.');
    }),
  );

  it(
    'the provider confirms who is signed in by a new log-in at the provider, of the same person, in the session that asked',
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
    'a new password ends the connection, and the only way in cannot be disconnected',
    withSite(async s => {
      provider.people.set('mina', mina);
      const { person } = await enter(s, 'mina');
      await expect(s.call(person, 'disconnectOpenid', {})).rejects.toThrow('has no password yet');
      const [account] = await accounts(s);
      await s.call(null, 'requestPasswordReset', { email: 'mina@example.com' });
      const { data } = await mailOfKind(s, 'reset');
      await s.call(null, 'resetPassword', { token: JSON.parse(data).token, password: 'quincey' });
      expect((await enter(s, 'mina')).led).toBe('/login?failed=openid-taken');
      expect((await accounts(s)).map(({ id }) => id)).toEqual([account?.id]);
    }),
  );

  it(
    'the provider confirms nothing by an old log-in at the provider, or where the session that asked ends while somebody comes back',
    withSite(async s => {
      provider.people.set('mina', mina);
      const { person } = await enter(s, 'mina');
      const id = (await s.call(person, 'getViewer', {})).user?.id ?? '';
      const sessions = () =>
        s.deps.db.selectFrom('sessions').select('id').where('user_id', '=', id).execute();
      const [session = { id: '' }] = await sessions();
      const reply = new Headers();
      const invocation = {
        ...s.deps,
        viewer: await viewerOfUser(s.deps.db, id, new Set<string>()),
        credential: { kind: 'session' as const, id: session.id },
        requestHeaders: new Headers({ cookie: person?.cookie ?? '' }),
        replyHeaders: reply,
        network: null,
      };
      const back = {
        issuer: provider.issuer,
        subject: 'mina',
        email: undefined,
        name: undefined,
        username: undefined,
        isEmailVerified: false,
        tags: [],
        shownAt: s.deps.clock(),
      };
      await expect(
        confirm(invocation, { ...back, shownAt: s.deps.clock() - hourMs }, session.id),
      ).rejects.toThrow('You logged in at the provider too long ago.');
      // It ends as soon as the way back has found whose it is.
      const read = onceRead(
        row => row.user_id === id,
        () => s.deps.db.deleteFrom('sessions').where('id', '=', session.id).execute(),
      );
      const held = { ...invocation, db: s.deps.db.withPlugin(read.plugin) };
      await expect(confirm(held, back, session.id)).rejects.toThrow('This sign-in has ended.');
      expect(read.isDone()).toBe(true);
      expect([...reply]).toEqual([]);
      expect(await sessions()).toEqual([]);
    }),
  );

  it(
    'a connection with a provider leaves no session and no tags where a new password ends the connection while somebody comes back',
    withSite(async s => {
      provider.people.set('mina', mina);
      const { person } = await enter(s, 'mina');
      const id = (await s.call(person, 'getViewer', {})).user?.id ?? '';
      await publish(s, await s.admin(), shortPost('shut', ['red']));
      // What a new password does happens as soon as the way back has found the account.
      const read = onceRead(
        row => row.user_id === id,
        () =>
          s.deps.db.transaction().execute(async trx => {
            await endAccess(trx, s.deps, id);
            await disconnect(trx, id);
          }),
      );
      const reply = new Headers();
      const viewer = visitor(new Set<string>());
      const invocation = {
        ...s.deps,
        db: s.deps.db.withPlugin(read.plugin),
        viewer,
        credential: null,
        requestHeaders: new Headers(),
        replyHeaders: reply,
        network: null,
      };
      const nothing = { email: undefined, name: undefined, username: undefined, shownAt: undefined };
      const back = { ...nothing, issuer: provider.issuer, subject: 'mina', isEmailVerified: false };
      await expect(enterByPerson(invocation, { ...back, tags: ['red'] }, { isLong: true })).rejects.toThrow(
        'This sign-in has ended.',
      );
      expect(read.isDone()).toBe(true);
      expect([...reply]).toEqual([]);
      for (const table of ['sessions', 'approved_tags'] as const) {
        expect(
          await s.deps.db.selectFrom(table).select('user_id').where('user_id', '=', id).execute(),
        ).toEqual([]);
      }
    }),
  );
});
