import { expect, it } from 'vitest';
import { flowOf, flowText } from '../../server/accounts/openid/flow.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
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
import type { Person } from '../support/site.ts';

const provider = await openidProvider();

describeEngines(({ migrated }) => {
  const { open, withSite } = openidSites(provider, migrated);

  it(
    'an OpenID sign-in says so when the person cancels, tells no address, or the provider is away',
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
    'an OpenID sign-in refuses an answer with another state, nonce, verifier or issuer, for another browser, and a second time',
    withSite(async s => {
      provider.people.set('mina', mina);
      const back = async (change: (url: URL, flow: NonNullable<ReturnType<typeof flowOf>>) => void) => {
        const { url, cookie } = await begin(s);
        const href = new URL(await walkThroughProvider(url, 'mina'));
        const flow = flowOf(flowCookie.exec(cookie)?.[1]);
        if (flow === undefined) throw new Error('There is no cookie.');
        change(href, flow);
        const response = await comeBack(s, href.href, `coterie-openid-${flow.state}=${flowText(flow)}`);
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
    'an OpenID sign-in finishes two sign-ins that were begun in two tabs, and keeps five at most',
    withSite(async s => {
      provider.people.set('mina', mina);
      provider.people.set('lucy', { ...mina, sub: 'lucy', email: 'lucy@example.com' });
      const first = await begin(s);
      const second = await s.request('/login/openid', null, { headers: { cookie: first.cookie } });
      const cookie = `${first.cookie}; ${cookiesOf(second)}`;
      const secondUrl = second.headers.get('location') ?? '';
      const done = await comeBack(s, await walkThroughProvider(first.url, 'mina'), cookie);
      expect(done.headers.get('location')).toBe('/tags/red');
      // The cookie of the first is gone, that of the second stays.
      const kept = [cookiesOf(second), cookiesOf(done)].join('; ');
      expect(done.headers.getSetCookie().filter(set => /coterie-openid-.*Max-Age=0/.test(set))).toHaveLength(
        1,
      );
      const other = await comeBack(s, await walkThroughProvider(secondUrl, 'lucy'), kept);
      expect(other.headers.get('location')).toBe('/');
      const { user } = await s.call({ id: '', username: '', cookie: cookiesOf(other) }, 'getViewer', {});
      expect(user?.email).toBe('lucy@example.com');

      const many = Array.from({ length: 7 }, (_, index) => `coterie-openid-state${index}=x`).join('; ');
      const begun = await s.request('/login/openid', null, { headers: { cookie: many } });
      const dropped = begun.headers.getSetCookie().filter(set => set.includes('Max-Age=0'));
      expect(dropped.map(set => set.split('=')[0])).toEqual(
        [0, 1, 2].map(index => `coterie-openid-state${index}`),
      );
    }),
  );

  it(
    'an OpenID sign-in is not begun by the page of another site',
    withSite(async s => {
      const response = await s.request('/login/openid', null, {
        headers: { 'sec-fetch-site': 'cross-site' },
      });
      expect([response.status, cookiesOf(response)]).toEqual([403, '']);
    }),
  );

  it(
    'an OpenID sign-in asks the provider about the answers of a network 120 times an hour, whatever its browser says was begun',
    withSite(async s => {
      const flow = { state: 'x', nonce: 'x', codeVerifier: 'x'.repeat(43) };
      const cookie = `coterie-openid-x=${flowText({ ...flow, purpose: { kind: 'sign-in', next: '/', isLong: true } })}`;
      let asked = 0;
      provider.intercept(({ url }) => {
        if (url !== '/token') return undefined;
        asked += 1;
        // At once: the provider itself takes so long for all of them that the site gives up some on a busy
        // machine.
        return [400, { error: 'invalid_grant' }];
      });
      const address = `/login/openid/callback?code=x&state=x&iss=${encodeURIComponent(provider.issuer)}`;
      const come = async (peer: string) => {
        const response = await s.request(address, null, { headers: { cookie }, peer });
        return response.headers.get('location');
      };
      const led = await Promise.all(Array.from({ length: 123 }, () => come('203.0.113.1')));
      expect(Map.groupBy(led, page => page).get('/login?failed=later')).toHaveLength(3);
      expect(asked).toBe(120);
      expect(await come('203.0.113.2')).toBe('/login?failed=openid');
    }),
  );

  it(
    'an OpenID sign-in counts both ways of a sign-in among the visits of a network, before anything is written',
    withSite(async s => {
      for (const path of ['/login/openid', '/login/openid/callback']) {
        s.deps.limits = new Limits(0.01);
        const open = async () => (await s.request(path, null, { peer: '203.0.113.1' })).status;
        const statuses = await Promise.all(Array.from({ length: 14 }, open));
        expect(statuses.filter(status => status === 429)).toHaveLength(2);
      }
      const { points } = await s.deps.db.selectFrom('attempts').select('points').executeTakeFirstOrThrow();
      expect(points).toBe(12);
    }),
  );

  it(
    'an OpenID sign-in begins a session that ends with the browser where that was chosen',
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
    'an OpenID sign-in begins a session that is as recent as the log-in at the provider, and never more',
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
});
