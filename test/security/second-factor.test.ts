import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { currentVisitor } from '../../server/access/viewer.ts';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { connectPerson } from '../../server/accounts/openid/accounts.ts';
import { signInByProvider } from '../../server/accounts/openid/sign-in-by-provider.ts';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { internalInvocation } from '../../server/operations.ts';
import { addPasskey } from '../support/authenticator.ts';
import { describeEngines } from '../support/engines.ts';
import {
  atProvider,
  codeNow,
  form,
  giveCode,
  minute,
  type Owner,
  owner,
  password,
  signIn,
  step,
  whoIs,
} from '../support/second-factor.ts';
import { cookieOf, post, type Site } from '../support/site.ts';

describeEngines(({ site }) => {
  it('a second factor is asked for after the password, and only a code makes a session', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    s.wait(step);
    const begun = await signIn(s, lucy);
    expect(begun).toMatchObject({ status: 401, asks: 'code' });
    // What the browser holds then is no session.
    expect(begun.cookie).toMatch(/^coterie-code=[\w-]{43}$/);
    expect(await whoIs(s, begun.cookie)).toBeUndefined();
    expect(await giveCode(s, begun.cookie, '000000')).toMatchObject({ status: 400 });
    const done = await giveCode(s, begun.cookie, codeNow(s, lucy.secret));
    expect(done).toMatchObject({ status: 200, username: 'lucy' });
    expect(await whoIs(s, done.cookie)).toBe('lucy');
    // The sign-in that was under way is over.
    s.wait(step);
    expect(await giveCode(s, begun.cookie, codeNow(s, lucy.secret))).toMatchObject({ asks: 'sign-in' });
    const kinds = await s.deps.db.selectFrom('history').select('kind').execute();
    expect(kinds.map(({ kind }) => kind)).toContain('second-factor-on');
    const mails = await s.deps.db.selectFrom('mails').select('data').where('kind', '=', 'notice').execute();
    expect(mails.map(({ data }) => JSON.parse(data).notice)).toContain('second-factor-on');
  });

  it('37. a code works only once, and none that is older than the last one', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    const atSetUp = codeNow(s, lucy.secret);
    const first = await signIn(s, lucy);
    expect(await giveCode(s, first.cookie, atSetUp)).toMatchObject({ status: 400 });
    s.wait(step);
    const older = codeNow(s, lucy.secret);
    s.wait(step);
    const code = codeNow(s, lucy.secret);
    expect((await giveCode(s, first.cookie, code)).status).toBe(200);
    const second = await signIn(s, lucy);
    expect(await giveCode(s, second.cookie, code)).toMatchObject({ status: 400 });
    expect(await giveCode(s, second.cookie, older)).toMatchObject({ status: 400 });
    // Two steps late it is no code any more.
    s.wait(2 * step);
    expect(await giveCode(s, second.cookie, code)).toMatchObject({ status: 400 });
    expect((await giveCode(s, second.cookie, codeNow(s, lucy.secret))).status).toBe(200);
  });

  it('only one of several simultaneous sign-ins with one code gets a session', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    s.wait(step);
    const begun = await Promise.all([signIn(s, lucy), signIn(s, lucy), signIn(s, lucy)]);
    const code = codeNow(s, lucy.secret);
    const done = await Promise.all(begun.map(({ cookie }) => giveCode(s, cookie, code)));
    expect(done.filter(({ status }) => status === 200)).toHaveLength(1);
    const recovery = lucy.recoveryCodes[0] ?? '';
    const again = await Promise.all([signIn(s, lucy), signIn(s, lucy), signIn(s, lucy)]);
    const recovered = await Promise.all(again.map(({ cookie }) => giveCode(s, cookie, recovery)));
    expect(recovered.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('a recovery code logs in once, is stored as a digest, and is replaced by new ones', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    const [first = '', second = '', third = ''] = lucy.recoveryCodes;
    const { cookie } = await signIn(s, lucy);
    const { cookie: session } = await giveCode(s, cookie, first.replaceAll('-', ' '));
    expect(await whoIs(s, session)).toBe('lucy');
    const person = { ...lucy, cookie: session };
    expect(await s.call(person, 'getSecondFactor', {})).toEqual({ isOn: true, recoveryCodesLeft: 9 });
    const again = await signIn(s, lucy);
    expect(await giveCode(s, again.cookie, first)).toMatchObject({ status: 400 });
    const kept = JSON.stringify(await s.deps.db.selectFrom('recovery_codes').selectAll().execute());
    expect(kept).not.toContain(second.replaceAll('-', ''));
    const { recoveryCodes } = await s.call(person, 'renewRecoveryCodes', {});
    expect(await giveCode(s, again.cookie, third)).toMatchObject({ status: 400 });
    expect((await giveCode(s, again.cookie, recoveryCodes[0] ?? '')).status).toBe(200);
    const mails = await s.deps.db.selectFrom('mails').select('data').where('kind', '=', 'notice').execute();
    expect(mails.map(({ data }) => JSON.parse(data).notice)).toEqual(
      expect.arrayContaining(['recovery-code-used', 'recovery-codes-made']),
    );
  });

  it('40. codes can be guessed ten times from a network, and twenty times a day from all new networks', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    s.wait(step);
    // At home a code was right before.
    const home = '203.0.113.1';
    const atHome = await signIn(s, lucy, home);
    expect((await giveCode(s, atHome.cookie, codeNow(s, lucy.secret), home)).status).toBe(200);
    const begun = await signIn(s, lucy, '203.0.113.9');
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      statuses.push((await giveCode(s, begun.cookie, '000000', '203.0.113.9')).status);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
    for (let guess = 0; guess < 12; guess += 1) {
      await giveCode(s, begun.cookie, '000000', `198.51.100.${guess}`);
    }
    s.wait(step);
    // The right code, from a network that nobody knows: too many have guessed. A recovery code works, and
    // home does.
    const right = codeNow(s, lucy.secret);
    expect((await giveCode(s, begun.cookie, right, '192.0.2.7')).status).toBe(429);
    const other = await signIn(s, lucy, '192.0.2.8');
    expect((await giveCode(s, other.cookie, lucy.recoveryCodes[0] ?? '', '192.0.2.8')).status).toBe(200);
    const back = await signIn(s, lucy, home);
    expect((await giveCode(s, back.cookie, right, home)).status).toBe(200);
  });

  it('42. a new password, a mailed link and the provider ask for the code, too', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    s.wait(step);
    const token = new URL(await resetLink(s.deps, lucy.id)).searchParams.get('token') ?? '';
    await s.call(null, 'resetPassword', { token, password });
    expect(await signIn(s, lucy)).toMatchObject({ status: 401, asks: 'code' });

    const person = atProvider(lucy);
    await connectPerson({ ...s.deps, providerName: 'Provider' }, lucy.id, person);
    const invocation = internalInvocation(s.deps, await currentVisitor(s.deps));
    const error = await signInByProvider(invocation, person, { isLong: true }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error instanceof AppError && error.details).toEqual({ asks: 'code' });
    expect(invocation.replyHeaders.getSetCookie().join()).not.toContain('coterie-session');
    // Nothing but the session of the owner, which a new password has ended.
    expect(await s.deps.db.selectFrom('sessions').select('id').execute()).toEqual([]);

    // A link is the first to prove this address: it ends what a stranger may have set up, but for the factor.
    s.wait(step);
    const { cookie } = await signIn(s, lucy);
    const session = await giveCode(s, cookie, codeNow(s, lucy.secret));
    const owned = { ...lucy, cookie: session.cookie };
    await addPasskey(s, owned);
    await s.deps.db
      .insertInto('email_links')
      .values({
        digest: createHash('sha256').update('link').digest('base64url'),
        user_id: lucy.id,
        email: lucy.email,
        purpose: 'sign-in',
        expires_at: s.deps.clock() + minute,
      })
      .execute();
    const byLink = await post(s, 'signInByLink', { token: 'link' });
    expect(byLink).toMatchObject({ status: 401, asks: 'code' });
    expect(await s.deps.db.selectFrom('passkeys').select('id').execute()).toEqual([]);
    s.wait(step);
    const done = await giveCode(s, byLink.cookie, codeNow(s, lucy.secret));
    expect(done).toMatchObject({ status: 200, username: 'lucy' });
  });

  it('a passkey verifies its user, so it needs no code', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    const authenticator = await addPasskey(s, lucy);
    const { result, cookie } = await post(s, 'requestSignature', {});
    const signed = authenticator.sign(result);
    expect((await post(s, 'signInWithPasskey', { signed }, { cookie })).status).toBe(200);
  });

  it('a sign-in that waits for a code is bound to its browser and its account, for ten minutes', async () => {
    const s = await site();
    const [lucy, mina] = [await owner(s, 'lucy'), await owner(s, 'mina')];
    s.wait(step);
    const ofLucy = await signIn(s, lucy);
    const ofMina = await signIn(s, mina);
    expect(await giveCode(s, ofLucy.cookie, codeNow(s, mina.secret))).toMatchObject({ status: 400 });
    expect(await giveCode(s, ofLucy.cookie, mina.recoveryCodes[0] ?? '')).toMatchObject({ status: 400 });
    expect(await giveCode(s, '', codeNow(s, lucy.secret))).toMatchObject({ asks: 'sign-in' });
    s.wait(9 * minute);
    expect((await giveCode(s, ofLucy.cookie, codeNow(s, lucy.secret))).username).toBe('lucy');
    s.wait(minute);
    expect(await giveCode(s, ofMina.cookie, codeNow(s, mina.secret))).toMatchObject({ asks: 'sign-in' });
  });

  it.each([
    ['signs out everywhere', (s: Site, lucy: Owner) => s.call(lucy, 'signOutEverywhere', {})],
    ['is denied', (s: Site, { id }: Owner) => denyUser(s.deps, id)],
    [
      'gets a new password',
      async (s: Site, { id }: Owner) => {
        const token = new URL(await resetLink(s.deps, id)).searchParams.get('token') ?? '';
        await s.call(null, 'resetPassword', { token, password: 'another1' });
      },
    ],
  ])('38. a sign-in that waits for a code ends when its account %s', async (_, end) => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    s.wait(step);
    const { cookie } = await signIn(s, lucy);
    await end(s, lucy);
    expect(await giveCode(s, cookie, codeNow(s, lucy.secret))).toMatchObject({ asks: 'sign-in' });
    // The factor itself stays.
    const rows = await s.deps.db.selectFrom('second_factors').select('user_id').execute();
    expect(rows).toEqual([{ user_id: lucy.id }]);
  });

  it('70. the old session of a browser ends with the code, and the new one has another token', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    const mina = await s.member([], 'mina');
    s.wait(step);
    const begun = await post(s, 'signIn', { email: lucy.email, password }, { cookie: mina.cookie });
    // Until then it is Mina's browser.
    expect(await whoIs(s, mina.cookie)).toBe('mina');
    const both = `${mina.cookie}; ${begun.cookie}`;
    const done = await giveCode(s, both, codeNow(s, lucy.secret));
    expect(await whoIs(s, done.cookie)).toBe('lucy');
    expect(await whoIs(s, mina.cookie)).toBeUndefined();
  });

  it('without scripts a form asks for the code, and leads on to the requested page', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    s.wait(step);
    const send = (path: string, fields: Record<string, string>, cookie = '') =>
      s.request(path, null, {
        method: 'POST',
        headers: { ...form, cookie },
        body: new URLSearchParams(fields).toString(),
        redirect: 'manual',
      });
    const first = await send('/login?next=/profile', { email: lucy.email, password });
    expect([first.status, first.headers.get('location')]).toEqual([303, '/login/code?next=%2Fprofile']);
    const page = await s.request('/login/code?next=/profile');
    expect(await page.text()).toMatch(/autocomplete="one-time-code"/i);
    const cookie = cookieOf(first);
    const wrong = await send('/login/code?next=/profile', { code: '000000' }, cookie);
    expect(wrong.headers.get('location')).toBe('/login/code?failed=refused&next=%2Fprofile');
    const right = await send('/login/code?next=/profile', { code: codeNow(s, lucy.secret) }, cookie);
    expect([right.status, right.headers.get('location')]).toEqual([303, '/profile']);
    expect(await whoIs(s, cookieOf(right))).toBe('lucy');
    // Another site's page sends no code.
    const elsewhere = await s.request('/login/code', null, {
      method: 'POST',
      headers: { ...form, 'sec-fetch-site': 'cross-site', cookie },
      body: 'code=000000',
    });
    expect(elsewhere.status).toBe(403);
  });
});
