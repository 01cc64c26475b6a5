import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addPasskey } from '../support/authenticator.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { type OpenidProvider, startOpenidProvider, walkThroughProvider } from '../support/openid-provider.ts';
import { changeUser } from '../support/rows.ts';
import { cookieOf, type Location, openSite, type Person, post, refusal, type Site } from '../support/site.ts';

/** Attacks on the ways in that lead over several of them, or over several processes. */

const siteUrl = 'http://localhost:3000';
const withMail = { SMTP_URL: 'smtp://127.0.0.1:9', PUBLIC_URL: siteUrl };
const { email, password } = account;
const home = { peer: '203.0.113.1' };
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

let provider: OpenidProvider;
beforeAll(async () => {
  provider = await startOpenidProvider(siteUrl);
});
afterAll(() => provider.close());

async function signUp(s: Site): Promise<NonNullable<Person>> {
  const { id, username, cookie } = await post(s, 'signUp', account);
  return { id, username, cookie };
}

/** Somebody who has signed up and confirmed the address. */
async function confirmed(s: Site): Promise<NonNullable<Person>> {
  const person = await signUp(s);
  await changeUser(s, person.id, { email_verified: true });
  return person;
}

/** The token of the newest mail of a kind. */
async function mailedToken(s: Site, kind: 'reset' | 'sign-in'): Promise<string> {
  const { data } = await s.deps.db
    .selectFrom('mails')
    .select('data')
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  return (JSON.parse(data) as { token: string }).token;
}

describeEngines(({ migrated }) => {
  const withSites = async (
    count: number,
    settings: Record<string, string>,
    act: (...sites: Site[]) => Promise<void>,
  ) => {
    const place: Location = await migrated();
    const sites: Site[] = [];
    for (let index = 0; index < count; index += 1) sites.push(await openSite(place, settings));
    try {
      await act(...sites);
    } finally {
      for (const s of sites.reverse()) await s.close();
    }
  };

  it('40. guesses of passwords, codes and links count for all processes together', () =>
    withSites(2, withMail, async (first, second) => {
      if (second === undefined) throw new Error('There is no second process.');
      const mina = await confirmed(first);
      const { secret } = await first.call(mina, 'requestSecondFactor', {});
      const codeNow = () => new TOTP({ secret }).generate({ timestamp: first.deps.clock() });
      await first.call(mina, 'turnOnSecondFactor', { secret, code: codeNow() });
      const begun = await post(first, 'signIn', { email, password }, home);
      expect(begun.asks).toBe('code');
      const codes: number[] = [];
      const passwords: number[] = [];
      for (let guess = 0; guess < 12; guess += 1) {
        const s = guess % 2 === 0 ? first : second;
        codes.push(
          (await post(s, 'signInWithCode', { code: '000000' }, { ...home, cookie: begun.cookie })).status,
        );
        const wrong = { email, password: `wrong ${guess}` };
        passwords.push((await post(s, 'signIn', wrong, { peer: '203.0.113.2' })).status);
      }
      expect(codes).toEqual([...Array(10).fill(400), 429, 429]);
      expect(passwords).toEqual([...Array(10).fill(401), 429, 429]);
      const links: number[] = [];
      for (let guess = 0; guess < 52; guess += 1) {
        const s = guess % 2 === 0 ? first : second;
        links.push(
          (await post(s, 'signInByLink', { token: `guess ${guess}` }, { peer: '203.0.113.3' })).status,
        );
      }
      expect(links).toEqual([...Array(50).fill(400), 429, 429]);
    }));

  it('60. a recovery code and a link that are sent to two processes at the same moment work only once', () =>
    withSites(2, withMail, async (first, second) => {
      if (second === undefined) throw new Error('There is no second process.');
      const mina = await confirmed(first);
      const { secret } = await first.call(mina, 'requestSecondFactor', {});
      const code = new TOTP({ secret }).generate({ timestamp: first.deps.clock() });
      const { recoveryCodes } = await first.call(mina, 'turnOnSecondFactor', { secret, code });
      const begun = await Promise.all([1, 2].map(() => post(first, 'signIn', { email, password }, home)));
      const done = await Promise.all(
        [first, second].map((s, index) =>
          post(
            s,
            'signInWithCode',
            { code: recoveryCodes[0] ?? '' },
            { ...home, cookie: begun[index]?.cookie },
          ),
        ),
      );
      expect(done.filter(({ status }) => status === 200)).toHaveLength(1);
      await first.call(mina, 'turnOffSecondFactor', {});
      await first.call(null, 'requestSignInLink', { email });
      const token = await mailedToken(first, 'sign-in');
      const used = await Promise.all([first, second].map(s => post(s, 'signInByLink', { token })));
      expect(used.map(({ status }) => status).sort()).toEqual([200, 400]);
    }));

  it('42. a mailed reset ends the passkeys of an address that nobody had confirmed, and keeps those of one that was', () =>
    withSites(1, withMail, async s => {
      const squatter = await signUp(s);
      await addPasskey(s, squatter);
      const reset = async () => {
        await s.call(null, 'requestPasswordReset', { email });
        await s.call(null, 'resetPassword', { token: await mailedToken(s, 'reset'), password: 'my own one' });
      };
      const passkeys = () => s.deps.db.selectFrom('passkeys').select('id').execute();
      await reset();
      expect(await passkeys()).toEqual([]);
      expect((await s.call(squatter, 'getViewer', {})).user).toBeNull();
      const own = await post(s, 'signIn', { email, password: 'my own one' });
      await addPasskey(s, own);
      s.wait(10 * 60_000);
      await reset();
      expect(await passkeys()).toHaveLength(1);
    }));

  it('42. a provider’s account with the address of somebody else opens nothing once the owner has confirmed the address', () =>
    withSites(1, { ...withMail, ...provider.environment }, async s => {
      provider.people.set('mallory', { sub: 'mallory', email, name: 'Mina Harker' });
      const enter = async () => {
        const begun = await s.request('/login/openid');
        const url = await walkThroughProvider(begun.headers.get('location') ?? '', 'mallory');
        const { pathname, search } = new URL(url);
        return await s.request(`${pathname}${search}`, null, { headers: { cookie: cookieOf(begun) } });
      };
      const early = { id: '', username: '', cookie: cookieOf(await enter()) };
      const { user } = await s.call(early, 'getViewer', {});
      expect(user).toMatchObject({ email, isEmailConfirmed: false });
      await s.call(null, 'requestSignInLink', { email });
      const owner = await post(s, 'signInByLink', { token: await mailedToken(s, 'sign-in') });
      expect(owner.id).toBe(user?.id);
      expect((await s.call(early, 'getViewer', {})).user).toBeNull();
      const late = await enter();
      expect(late.headers.get('location')).toBe('/login?failed=openid-taken');
      expect(late.headers.getSetCookie().join()).not.toContain('coterie-session');
    }));

  it('36. every way to sign in leads to a path of this site, whatever its address asks for', () =>
    withSites(1, { ...withMail, ...provider.environment }, async s => {
      const mina = await confirmed(s);
      const { secret } = await s.call(mina, 'requestSecondFactor', {});
      const form = { 'content-type': 'application/x-www-form-urlencoded', ...sameOrigin };
      const led = async (path: string, fields: Record<string, string>, cookie = '') => {
        const body = new URLSearchParams(fields).toString();
        const response = await s.request(path, null, { method: 'POST', headers: { ...form, cookie }, body });
        return { to: response.headers.get('location'), cookie: cookieOf(response) };
      };
      for (const next of [
        '//evil.example',
        'https://evil.example/x',
        '/\\evil.example',
        'javascript:alert(1)',
      ]) {
        const query = `?${new URLSearchParams({ next })}`;
        expect((await led(`/login${query}`, { email, password })).to).toBe('/');
        expect((await led(`/login${query}`, { email, password: 'wrong' })).to).toBe('/login?failed=refused');
        expect((await led(`/sign-in${query}`, { email: 'x@example.com' })).to).toBe('/sign-in?done=sent');
        provider.people.set('lucy', { sub: 'lucy', email: 'lucy@example.com', name: 'Lucy' });
        const begun = await s.request(`/login/openid${query}`);
        const url = new URL(await walkThroughProvider(begun.headers.get('location') ?? '', 'lucy'));
        const back = await s.request(`${url.pathname}${url.search}`, null, {
          headers: { cookie: cookieOf(begun) },
        });
        expect(back.headers.get('location')).toBe('/');
      }
      const code = new TOTP({ secret }).generate({ timestamp: s.deps.clock() });
      const { recoveryCodes } = await s.call(mina, 'turnOnSecondFactor', { secret, code });
      const asked = await led('/login?next=//evil.example', { email, password });
      expect(asked.to).toBe('/login/code');
      const path = '/login/code?next=//evil.example';
      expect((await led(path, { code: recoveryCodes[0] ?? '' }, asked.cookie)).to).toBe('/');
    }));

  it('39. a session without a recent sign-in makes nothing that outlives it', () =>
    withSites(1, withMail, async s => {
      const mina = await confirmed(s);
      await s.deps.db
        .updateTable('sessions')
        .set({ created_at: new Date(s.deps.clock() - 3_600_000).toISOString() })
        .execute();
      for (const name of ['requestPasskey', 'requestSecondFactor'] as const) {
        expect([name, await refusal(s.call(mina, name, {}))]).toEqual([name, 'failed-precondition']);
      }
      // Nor with the challenge of a visitor, or the session of somebody else.
      const lucy = await s.member([], 'lucy');
      const authenticator = await addPasskey(s, lucy);
      for (const asking of [lucy, null]) {
        const signed = authenticator.sign(await s.call(asking, 'requestSignature', {}));
        expect(await refusal(s.call(mina, 'confirmWithPasskey', { signed }))).toBe('unauthenticated');
      }
      expect(await refusal(s.call(mina, 'changeEmail', { email: 'mallory@example.com' }))).toBe(
        'failed-precondition',
      );
    }));
});
