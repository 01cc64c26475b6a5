import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/operations.ts';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { describeEngines } from '../support/engines.ts';
import { cookieOf, refusal, type Site } from '../support/site.ts';

const minute = 60_000;
const json = { 'content-type': 'application/json' };

type Asked = { request: Output<'requestSignature'>; cookie: string };

/** What a browser is asked to sign to log in, and the cookie that it holds from then on. */
async function ask(s: Site, cookie = ''): Promise<Asked> {
  const response = await s.request('/api/requestSignature', null, {
    method: 'POST',
    headers: { ...json, cookie },
    body: '{"data":{}}',
  });
  return { request: (await response.json()).result, cookie: cookieOf(response) || cookie };
}

/**
 * Sends what was signed with a browser's cookie. Returns the status, who is signed in, and the new session.
 */
async function send(s: Site, signed: Input<'signInWithPasskey'>['signed'], cookie: string) {
  const response = await s.request('/api/signInWithPasskey', null, {
    method: 'POST',
    headers: { ...json, cookie },
    body: JSON.stringify({ data: { signed } }),
  });
  const { result, error } = await response.json();
  const session = cookieOf(response);
  return {
    status: response.status,
    message: error?.message,
    username: result?.user?.username,
    person: { id: result?.user?.id, username: '', cookie: session },
  };
}

async function signIn(s: Site, authenticator: Authenticator) {
  const { request, cookie } = await ask(s);
  return await send(s, authenticator.sign(request), cookie);
}

const refused = { status: 401, message: 'This passkey was not accepted. Please try again.' };

describeEngines(({ site }) => {
  it('a passkey is added, named, listed, used to log in and to confirm the identity, and removed', async () => {
    const s = await site();
    const lucy = await s.member([], 'lucy');
    const authenticator = await addPasskey(s, lucy);
    const { passkeys } = await s.call(lucy, 'listPasskeys', {});
    expect(passkeys).toMatchObject([{ name: 'phone', lastUsedAt: null, isSynced: false }]);
    const { status, username, person } = await signIn(s, authenticator);
    expect([status, username]).toEqual([200, 'lucy']);
    expect((await s.call(person, 'getViewer', {})).user?.id).toBe(lucy.id);
    const { passkeys: used } = await s.call(lucy, 'listPasskeys', {});
    expect(used[0]?.lastUsedAt).not.toBeNull();

    const passkeyId = used[0]?.id ?? '';
    const { passkeys: renamed } = await s.call(lucy, 'renamePasskey', { passkeyId, name: 'old phone' });
    expect(renamed[0]?.name).toBe('old phone');
    await s.deps.db
      .updateTable('sessions')
      .set({ created_at: new Date(s.deps.clock() - 11 * minute).toISOString() })
      .execute();
    expect(await refusal(s.call(lucy, 'removePasskey', { passkeyId }))).toBe('failed-precondition');
    const signed = authenticator.sign(await s.call(lucy, 'requestSignature', {}));
    await s.call(lucy, 'confirmWithPasskey', { signed });
    // The other session of the account has confirmed nothing.
    expect(await refusal(s.call(person, 'removePasskey', { passkeyId }))).toBe('failed-precondition');
    expect((await s.call(lucy, 'removePasskey', { passkeyId })).passkeys).toEqual([]);
    expect(await signIn(s, authenticator)).toMatchObject(refused);
    const entries = await s.deps.db.selectFrom('history').select('kind').orderBy('kind').execute();
    expect(entries.map(({ kind }) => kind).filter(kind => kind.startsWith('passkey'))).toEqual([
      'passkey-added',
      'passkey-removed',
    ]);
    const mails = await s.deps.db.selectFrom('mails').select('data').where('kind', '=', 'notice').execute();
    const notices = mails.map(({ data }) => JSON.parse(data).notice);
    expect(notices).toEqual(expect.arrayContaining(['passkey-added', 'passkey-removed']));
  });

  it('a session that began with a passkey ends with the browser if that was chosen', async () => {
    const s = await site();
    const authenticator = await addPasskey(s, await s.member());
    for (const keepSignedIn of [true, false]) {
      const { request, cookie } = await ask(s);
      const response = await s.request('/api/signInWithPasskey', null, {
        method: 'POST',
        headers: { ...json, cookie },
        body: JSON.stringify({ data: { signed: authenticator.sign(request), keepSignedIn } }),
      });
      const session = response.headers.getSetCookie().find(set => set.startsWith('coterie-session='));
      expect(/max-age/i.test(session ?? '')).toBe(keepSignedIn);
      const person = { id: '', username: '', cookie: cookieOf(response) };
      const { sessions } = await s.call(person, 'getAccount', {});
      expect(sessions.find(({ isCurrent }) => isCurrent)?.isLong).toBe(keepSignedIn);
    }
  });

  it('37. a challenge is refused the second time, and so is one that is too old', async () => {
    const s = await site();
    const authenticator = await addPasskey(s, await s.member());
    const { request, cookie } = await ask(s);
    const signed = authenticator.sign(request);
    expect((await send(s, signed, cookie)).status).toBe(200);
    expect(await send(s, signed, cookie)).toMatchObject(refused);
    // Signed anew, with a counter that has gone on: the challenge itself is used up.
    expect(await send(s, authenticator.sign(request), cookie)).toMatchObject({ status: 401 });
    // The clock of the process that makes a challenge may be ahead.
    s.wait(minute / 2);
    const ahead = await ask(s);
    s.wait(-minute / 2);
    expect((await send(s, authenticator.sign(ahead.request), ahead.cookie)).status).toBe(200);
    s.wait(60.25 * minute);
    expect(await send(s, authenticator.sign(ahead.request), ahead.cookie)).toMatchObject({ status: 401 });
    const late = await ask(s);
    s.wait(61 * minute);
    expect(await send(s, authenticator.sign(late.request), late.cookie)).toMatchObject(refused);
  });

  it('only one of two simultaneous sign-ins with one signature gets a session', async () => {
    const s = await site();
    const authenticator = await addPasskey(s, await s.member());
    const { request, cookie } = await ask(s);
    const signed = authenticator.sign(request);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(s, signed, cookie)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });

  it('a challenge is valid in all tabs of the browser that requested it, and in no other browser', async () => {
    const s = await site();
    const authenticator = await addPasskey(s, await s.member());
    const first = await ask(s);
    const second = await ask(s, first.cookie);
    expect(second.cookie).toBe(first.cookie);
    const other = await ask(s);
    expect(await send(s, authenticator.sign(first.request), other.cookie)).toMatchObject(refused);
    expect(await send(s, authenticator.sign(first.request), '')).toMatchObject(refused);
    expect((await send(s, authenticator.sign(first.request), first.cookie)).status).toBe(200);
  });

  it('a signature for another purpose or of another account is refused', async () => {
    const s = await site();
    const [lucy, mina] = [await s.member([], 'lucy'), await s.member([], 'mina')];
    const authenticator = await addPasskey(s, lucy);
    const ofMina = await addPasskey(s, mina);
    const confirming = await s.call(lucy, 'requestSignature', {});
    const { cookie } = await ask(s);
    expect(await send(s, authenticator.sign(confirming), cookie)).toMatchObject(refused);
    // The challenge of one's own session, signed by somebody else's passkey; and that of another session.
    expect(await refusal(s.call(lucy, 'confirmWithPasskey', { signed: ofMina.sign(confirming) }))).toBe(
      'unauthenticated',
    );
    const ofOther = await s.call(mina, 'requestSignature', {});
    expect(await refusal(s.call(lucy, 'confirmWithPasskey', { signed: authenticator.sign(ofOther) }))).toBe(
      'unauthenticated',
    );
    // A passkey that was made for the session of another account.
    const asked = await s.call(mina, 'requestPasskey', {});
    const passkey = new Authenticator(authenticator.origin).make(asked);
    expect(await refusal(s.call(lucy, 'addPasskey', { name: 'x', passkey }))).toBe('invalid-argument');
    expect(confirming.allowCredentials).toHaveLength(1);
    expect((await ask(s)).request.allowCredentials).toEqual([]);
  });

  it('a signature for another origin, without user verification or for another account is refused', async () => {
    const s = await site();
    const lucy = await s.member();
    const authenticator = await addPasskey(s, lucy);
    const oddities = [
      { origin: 'https://coterie.example.net' },
      { origin: `${authenticator.origin}.example.net` },
      { isVerified: false },
      { challenge: Buffer.alloc(54).toString('base64url') },
      { challenge: 'eA' },
      { userHandle: Buffer.from('somebody').toString('base64url') },
    ];
    for (const oddity of oddities) {
      const { request, cookie } = await ask(s);
      expect([oddity, await send(s, authenticator.sign(request, oddity), cookie)]).toMatchObject([
        oddity,
        refused,
      ]);
      if ('userHandle' in oddity) continue;
      const asked = await s.call(lucy, 'requestPasskey', {});
      const passkey = new Authenticator(authenticator.origin).make(asked, oddity);
      expect(await refusal(s.call(lucy, 'addPasskey', { name: 'x', passkey }))).toBe('invalid-argument');
    }
    const { request, cookie } = await ask(s);
    const forged = authenticator.sign(request);
    forged.response.signature = `${forged.response.signature.slice(0, -8)}AAAAAAAA`;
    expect(await send(s, forged, cookie)).toMatchObject(refused);
    // Of a passkey that nobody has, the same is said.
    const unknown = new Authenticator(authenticator.origin);
    unknown.make(await s.call(lucy, 'requestPasskey', {}));
    expect(await send(s, unknown.sign(request), cookie)).toMatchObject(refused);
  });

  it('a passkey whose counter goes back, like that of a copy, is refused', async () => {
    const s = await site();
    const authenticator = await addPasskey(s, await s.member());
    await signIn(s, authenticator);
    await signIn(s, authenticator);
    authenticator.setBack(2);
    expect(await signIn(s, authenticator)).toMatchObject(refused);
  });

  it('39. adding a passkey needs a recent sign-in, and a token can neither add, list nor remove one', async () => {
    const s = await site();
    const lucy = await s.member();
    const request = await s.call(lucy, 'requestPasskey', {});
    await s.deps.db
      .updateTable('sessions')
      .set({ created_at: new Date(s.deps.clock() - 11 * minute).toISOString() })
      .execute();
    const passkey = new Authenticator(new URL(s.config.publicUrl).origin).make(request);
    const asksOf = await s.call(lucy, 'addPasskey', { name: 'x', passkey }).catch(error => error);
    expect(asksOf instanceof AppError && asksOf.details).toMatchObject({ asks: 'recent-sign-in' });
    expect(await refusal(s.call(lucy, 'requestPasskey', {}))).toBe('failed-precondition');
    const { token } = await s.makeToken(lucy);
    for (const name of ['listPasskeys', 'requestPasskey', 'addPasskey', 'removePasskey'] as const) {
      const response = await s.request(`/api/${name}`, null, {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${token}` },
        body: '{"data":{}}',
      });
      expect([name, response.status]).toEqual([name, 403]);
    }
  });

  it('a new password and signing out everywhere keep passkeys; a denial ends only the sessions', async () => {
    const s = await site();
    const lucy = await s.member([], 'lucy');
    const authenticator = await addPasskey(s, lucy);
    const link = new URL(await resetLink(s.deps, lucy.id));
    const token = link.searchParams.get('token') ?? '';
    await s.call(null, 'resetPassword', { token, password: 'quincey1' });
    const { person } = await signIn(s, authenticator);
    expect(await s.call(person, 'listPasskeys', {})).toMatchObject({ passkeys: [{ name: 'phone' }] });
    await s.call(person, 'signOutEverywhere', {});
    expect((await s.call(person, 'getViewer', {})).user).toBeNull();
    const { person: again } = await signIn(s, authenticator);
    await denyUser(s.deps, lucy.id);
    expect((await s.call(again, 'getViewer', {})).user).toBeNull();
    // As with a password: they may log in, and see what visitors see.
    const { person: denied } = await signIn(s, authenticator);
    expect((await s.call(denied, 'getViewer', {})).user).toMatchObject({ isApproved: false });
  });

  it('a passkey that is removed during a sign-in does not sign in', async () => {
    const s = await site();
    const lucy = await s.member();
    const authenticator = await addPasskey(s, lucy);
    const { request, cookie } = await ask(s);
    const signed = authenticator.sign(request);
    const [{ id } = { id: '' }] = (await s.call(lucy, 'listPasskeys', {})).passkeys;
    const [answer] = await Promise.all([
      send(s, signed, cookie),
      s.call(lucy, 'removePasskey', { passkeyId: id }),
    ]);
    // Whichever came first: afterwards it opens nothing.
    expect([200, 401]).toContain(answer.status);
    expect(await signIn(s, authenticator)).toMatchObject(refused);
  });

  it('a passkey belongs to one account, and its account to at most twenty', async () => {
    const s = await site();
    const lucy = await s.member();
    const request = await s.call(lucy, 'requestPasskey', {});
    const passkey = new Authenticator(new URL(s.config.publicUrl).origin).make(request);
    await s.call(lucy, 'addPasskey', { name: 'first', passkey });
    // The challenge is used up before anything else is looked at.
    expect(await refusal(s.call(lucy, 'addPasskey', { name: 'again', passkey }))).toBe('invalid-argument');
    const { passkeys } = await s.call(lucy, 'listPasskeys', {});
    const row = await s.deps.db.selectFrom('passkeys').selectAll().executeTakeFirstOrThrow();
    expect(passkeys).toHaveLength(1);
    const more = Array.from({ length: 19 }, (_, index) => ({
      ...row,
      is_synced: false,
      id: `more${index}`,
      credential_id: `more${index}`,
    }));
    await s.deps.db.insertInto('passkeys').values(more).execute();
    expect(await refusal(s.call(lucy, 'requestPasskey', {}))).toBe('failed-precondition');
  });
});
