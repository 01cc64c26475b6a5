import { TOTP } from 'otpauth';
import { afterEach, expect, it } from 'vitest';
import { endAccess } from '../../server/accounts/access-token.ts';
import { createAuth } from '../../server/accounts/auth.ts';
import { approveUser, denyUser } from '../../server/accounts/decisions.ts';
import { sweepEmailLinks } from '../../server/accounts/email.ts';
import { resetLink } from '../../server/accounts/password-reset.ts';
import { requestSignInLink, signInByLink } from '../../server/accounts/sign-in-link.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { describeEngines } from '../engines.ts';
import { noticesOf } from '../notices.ts';
import { ageSessions, cookieOf, type Location, openSite, type Person, refusal, type Site } from '../site.ts';
import { startSmtp } from '../smtp.ts';

const account = { username: 'mina', name: 'Mina Harker', email: 'mina@example.com', password: 'quincey' };
const { email, password } = account;
const minute = 60_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A site that sends mail, to a server that is asked only where a test sends. */
async function mailingSite(location: Location, settings: Record<string, string> = {}): Promise<Site> {
  const s = await openSite(location, { SMTP_URL: 'smtp://127.0.0.1:9', ...settings });
  cleanups.push(s.close);
  return s;
}

async function post(
  s: Site,
  name: string,
  data: unknown,
  headers: Record<string, string> = {},
  peer = '::1',
) {
  const response = await s.request(`/api/${name}`, null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
    peer,
  });
  const { result } = await response.clone().json();
  return { id: result?.user?.id ?? '', username: account.username, cookie: cookieOf(response), response };
}

/** An account that has confirmed its address, signed in. */
async function confirmed(s: Site, who = account): Promise<NonNullable<Person>> {
  const { id, username, cookie } = await post(s, 'signUp', who);
  await s.deps.db.updateTable('users').set({ email_verified: true }).where('id', '=', id).execute();
  return { id, username, cookie };
}

/** The tokens in the mails on their way, the newest last; those of addresses without an account too. */
async function tokens(s: Site): Promise<string[]> {
  const mails = await s.deps.db
    .selectFrom('mails')
    .select('data')
    .where('kind', '=', 'sign-in')
    .orderBy('created_at')
    .execute();
  return mails.map(mail => (JSON.parse(mail.data) as { token: string }).token);
}

/** A link for an account, asked for as a visitor does. */
async function linkFor(s: Site, address = email): Promise<string> {
  s.wait(1);
  await s.call(null, 'requestSignInLink', { email: address });
  return (await tokens(s)).at(-1) ?? '';
}

const use = (s: Site, token: string, as: Person = null) =>
  post(s, 'signInByLink', { token }, as === null ? {} : { cookie: as.cookie });
const viewerName = async (s: Site, as: Person) => (await s.call(as, 'getViewer', {})).user?.username;
const sessionsOf = async (s: Site, userId: string) =>
  await s.deps.db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute();

describeEngines('links that sign in', ({ migrated }) => {
  it('42. sign in once, by the press of a button and not by being looked at', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    await s.call(mina, 'signOut', {});
    const token = await linkFor(s);
    for (let look = 0; look < 2; look += 1) {
      const page = await s.request(`/sign-in?token=${token}`);
      expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
      expect(await page.text()).toContain('<strong>mina</strong>');
      await s.request(`/sign-in?token=${token}`, null, { method: 'HEAD' });
      expect((await s.call(null, 'getSignInLink', { token })).link?.username).toBe('mina');
    }
    expect(await sessionsOf(s, mina.id)).toHaveLength(0);
    expect(await viewerName(s, await use(s, token))).toBe('mina');
    expect(await sessionsOf(s, mina.id)).toHaveLength(1);
    const again = await use(s, token);
    expect([again.response.status, again.response.headers.getSetCookie()]).toEqual([400, []]);
    expect(await s.call(null, 'getSignInLink', { token })).toEqual({ link: null });
    expect((await s.request(`/sign-in?token=${token}`)).status).toBe(403);
  });

  it('42, 60. sign in one of several who use one at the same moment', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    await s.call(mina, 'signOut', {});
    const token = await linkFor(s);
    const all = await Promise.all(Array.from({ length: 4 }, () => use(s, token)));
    expect(all.map(one => one.response.status).sort()).toEqual([200, 400, 400, 400]);
    expect(all.filter(one => one.cookie.includes('coterie-session'))).toHaveLength(1);
    expect(await sessionsOf(s, mina.id)).toHaveLength(1);
  });

  it('42. run out after a quarter of an hour, and end with another one that was used', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    const first = await linkFor(s);
    s.wait(6 * minute);
    const second = await linkFor(s);
    await use(s, second);
    expect(await refusal(s.call(null, 'signInByLink', { token: first }))).toBe('failed-precondition');
    s.wait(6 * minute);
    const third = await linkFor(s);
    s.wait(15 * minute);
    expect(await refusal(s.call(null, 'signInByLink', { token: third }))).toBe('failed-precondition');
    await sweepEmailLinks(s.deps);
    expect(await s.deps.db.selectFrom('email_links').select('purpose').execute()).toEqual([
      { purpose: 'confirm' },
    ]);
  });

  it.each(['password', 'reset', 'everywhere', 'denial', 'deletion', 'address'] as const)(
    '38. end with what ends sessions: %s',
    async how => {
      const s = await mailingSite(await migrated());
      const mina = await confirmed(s);
      const token = await linkFor(s);
      if (how === 'password') {
        await s.call(mina, 'changePassword', { currentPassword: password, newPassword: 'another1' });
      }
      if (how === 'reset') {
        const reset = new URL(await resetLink(s.deps, mina.id)).searchParams.get('token') ?? '';
        await s.call(null, 'resetPassword', { token: reset, password: 'my own one' });
      }
      if (how === 'everywhere') await s.call(mina, 'signOutEverywhere', {});
      if (how === 'denial') {
        await denyUser(s.deps, mina.id);
        await approveUser(s.deps, mina.id);
      }
      if (how === 'deletion') {
        await s.call(mina, 'deleteAccount', { comments: 'delete' });
      }
      if (how === 'address') {
        // Not by the change itself, which ends all links: by what is left should one be missed.
        await s.deps.db.updateTable('users').set({ email: 'new@example.com' }).execute();
      }
      const sessions = (await sessionsOf(s, mina.id)).length;
      expect(await refusal(s.call(null, 'signInByLink', { token }))).toBe('failed-precondition');
      expect(await sessionsOf(s, mina.id)).toHaveLength(sessions);
    },
  );

  it('38. leave no session where their account is signed out everywhere while one is used', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const token = await linkFor(s);
    // As soon as the session is made, and before it is kept.
    let end: (() => Promise<unknown>) | undefined = () =>
      s.deps.db.transaction().execute(trx => endAccess(trx, mina.id));
    const db = s.deps.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const next = end;
        if (next === undefined || !result.rows.some(row => 'token' in row)) return result;
        end = undefined;
        await next();
        return result;
      },
    });
    const auth = createAuth(db, s.config, s.deps.secret, { sendReset: async () => {} });
    const entering = { ...s.deps, auth, request: new Headers(), reply: new Headers(), peer: null };
    expect(await refusal(signInByLink(entering, { token }))).toBe('failed-precondition');
    expect(end).toBeUndefined();
    expect([...entering.reply]).toEqual([]);
    expect(await sessionsOf(s, mina.id)).toEqual([]);
  });

  it('37, 42. name the account before they sign in another one than the browser has, and end its session', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    const lucy = await s.member([], 'lucy');
    const token = await linkFor(s);
    const page = await (await s.request(`/sign-in?token=${token}`, lucy)).text();
    expect(page).toContain('You are signed in as <!-- -->lucy<!-- --> now. Logging in ends that session.');
    expect(await viewerName(s, lucy)).toBe('lucy');
    expect(await viewerName(s, await use(s, token, lucy))).toBe('mina');
    expect(await viewerName(s, lucy)).toBeUndefined();
  });

  it('37, 39. confirm the session of their account that the browser has, which goes on, and no other', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const elsewhere = await post(s, 'signIn', { email, password });
    await ageSessions(s);
    const leave = (as: Person) => refusal(s.call(as, 'deleteAccount', { comments: 'keep' }));
    expect(await leave(mina)).toBe('failed-precondition');
    const token = await linkFor(s);
    const page = await (await s.request(`/sign-in?token=${token}`, mina)).text();
    expect(page).toContain('This confirms that it is you.');
    expect(page).not.toContain('Keep me signed in');
    const before = await sessionsOf(s, mina.id);
    const used = await use(s, token, mina);
    // No other session, so what was begun in another tab goes on in this one.
    expect([used.response.status, used.cookie]).toEqual([200, '']);
    expect(await sessionsOf(s, mina.id)).toEqual(before);
    expect(await leave(elsewhere)).toBe('failed-precondition');
    expect(await refusal(s.call(mina, 'signInByLink', { token }))).toBe('failed-precondition');
    await s.call(mina, 'deleteAccount', { comments: 'keep' });
  });

  it('37, 39. confirm nothing without the code of an account with a second factor', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const { secret } = await s.call(mina, 'requestSecondFactor', {});
    const code = () => new TOTP({ secret }).generate({ timestamp: s.deps.clock() });
    await s.call(mina, 'turnOnSecondFactor', { secret, code: code() });
    await ageSessions(s);
    const isRecent = async () => (await s.call(mina, 'getAccount', {})).hasRecentSignIn;
    const asked = await use(s, await linkFor(s), mina);
    expect([asked.response.status, await isRecent()]).toEqual([401, false]);
    s.wait(minute);
    const given = await post(
      s,
      'signInWithCode',
      { code: code() },
      { cookie: `${mina.cookie}; ${asked.cookie}` },
    );
    expect([given.response.status, given.cookie, await isRecent()]).toEqual([200, '', true]);
    expect(await sessionsOf(s, mina.id)).toHaveLength(1);
  });

  it('34. are used by no page of another site, as a form neither', async () => {
    const s = await mailingSite(await migrated(), { CORS_ORIGINS: 'https://app.example' });
    const mina = await confirmed(s);
    const token = await linkFor(s);
    const elsewhere: Record<string, string>[] = [
      { origin: 'https://app.example', 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ];
    for (const from of elsewhere) {
      expect((await post(s, 'signInByLink', { token }, from)).response.status).toBe(403);
      const form = await s.request(`/sign-in?token=${token}`, null, {
        method: 'POST',
        headers: { ...from, 'content-type': 'application/x-www-form-urlencoded' },
        body: '',
      });
      expect([form.status, form.headers.getSetCookie()]).toEqual([403, []]);
    }
    expect(await sessionsOf(s, mina.id)).toHaveLength(1);
  });

  it('42. sign in only, and links that confirm an address confirm only', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    const token = await linkFor(s);
    expect(await s.call(null, 'getEmailLink', { token })).toEqual({ link: null });
    expect(await refusal(s.call(null, 'confirmEmail', { token }))).toBe('failed-precondition');
    const mail = await s.deps.db
      .selectFrom('mails')
      .select('data')
      .where('kind', '=', 'confirm')
      .executeTakeFirstOrThrow();
    const confirm = (JSON.parse(mail.data) as { token: string }).token;
    expect(await s.call(null, 'getSignInLink', { token: confirm })).toEqual({ link: null });
    expect(await refusal(s.call(null, 'signInByLink', { token: confirm }))).toBe('failed-precondition');
    expect((await use(s, token)).response.status).toBe(200);
  });
});

describeEngines('asking for a link that signs in', ({ migrated }) => {
  it('41. is answered alike, with as many statements, whether there is an account or not', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    await s.deps.db.deleteFrom('mails').execute();
    const asked: unknown[] = [];
    const db = s.deps.db.withPlugin({
      transformQuery: ({ node }) => {
        asked.push(node.kind);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const statementsFor = async (address: string) => {
      asked.length = 0;
      await requestSignInLink({ ...s.deps, db }, { email: address });
      return [...asked];
    };
    const unknown = await statementsFor('nobody@example.com');
    expect(unknown.length).toBeGreaterThan(0);
    expect(await statementsFor(email)).toEqual(unknown);
    // Also while a link is on its way.
    expect(await statementsFor(email)).toEqual(unknown);
    const answers = await Promise.all(
      [email, 'nobody@example.com'].map(async address => {
        const { response } = await post(s, 'requestSignInLink', { email: address });
        return [response.status, await response.text(), response.headers.getSetCookie()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    // What waits says nothing of who asked either: one link, and four mails that are dropped when they are due.
    const mails = await s.deps.db.selectFrom('mails').select(['user_id', 'data']).execute();
    expect(mails).toHaveLength(5);
    expect(JSON.stringify(mails)).not.toContain('example.com');
    expect(new Set(mails.map(mail => mail.user_id))).toEqual(new Set([null]));
  });

  it('40. is bounded by network, and leaves the owner their link however often strangers ask', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const ask = async (peer: string) =>
      (await post(s, 'requestSignInLink', { email }, {}, peer)).response.status;
    const links = async () =>
      (await s.deps.db.selectFrom('email_links').select('digest').where('purpose', '=', 'sign-in').execute())
        .length;
    for (let index = 0; index < 5; index += 1) expect(await ask('198.51.100.1')).toBe(200);
    expect(await ask('198.51.100.1')).toBe(429);
    for (let index = 2; index < 12; index += 1) expect(await ask(`198.51.100.${index}`)).toBe(200);
    expect(await links()).toBe(1);
    s.wait(5 * minute);
    expect(await ask('203.0.113.9')).toBe(200);
    expect(await links()).toBe(2);
    const good = await Promise.all(
      (await tokens(s)).map(async token =>
        (await s.call(null, 'getSignInLink', { token })).link ? token : '',
      ),
    );
    const [token = ''] = good.filter(found => found !== '');
    expect((await use(s, token)).id).toBe(mina.id);
    // Once they are used, the next one is mailed at once.
    expect(await ask('203.0.113.9')).toBe(200);
    expect(await links()).toBe(1);
  });

  it('is refused in plain words by a site that sends no mail', async () => {
    const s = await openSite(await migrated());
    cleanups.push(s.close);
    await expect(s.call(null, 'requestSignInLink', { email })).rejects.toThrow('does not send email');
    expect(await s.deps.db.selectFrom('mails').selectAll().execute()).toEqual([]);
    expect(await (await s.request('/login')).text()).not.toContain('sign-in link');
  });

  it('54. mails the link to the address of the account, and nothing to an address without one', async () => {
    const smtp = await startSmtp();
    cleanups.push(smtp.stop);
    const s = await mailingSite(await migrated(), { SMTP_URL: smtp.url, PUBLIC_URL: 'https://blog.example' });
    await confirmed(s);
    await s.deps.db.deleteFrom('mails').execute();
    for (const address of [' MINA@example.com', 'nobody@example.com']) {
      await s.call(null, 'requestSignInLink', { email: address, next: 'https://evil.example/x' });
    }
    s.wait(5 * minute);
    await s.call(null, 'requestSignInLink', { email, next: '/post/x?a=1#comments' });
    const [first = ''] = await tokens(s);
    expect((await deliverDue(s.deps)).sent).toBe(2);
    expect(smtp.mails.map(mail => mail.to)).toEqual([email, email]);
    const texts = smtp.mails.map(({ source }) => source.replaceAll('=\r\n', '').replaceAll('=3D', '='));
    expect(texts.join()).toContain(`https://blog.example/sign-in?token=${first}\r\n`);
    expect(texts.join()).toContain('&next=%2Fpost%2Fx%3Fa%3D1%23comments');
    expect(texts.join()).not.toContain('evil');
    // One that has been ended meanwhile is mailed to nobody.
    s.wait(5 * minute);
    await linkFor(s);
    await s.deps.db.deleteFrom('email_links').execute();
    expect((await deliverDue(s.deps)).sent).toBe(0);
  });
});

describeEngines('an account whose address nobody has confirmed', ({ migrated }) => {
  it('42. belongs to who reads the mailbox once they sign in by a link, and to no squatter any more', async () => {
    const s = await mailingSite(await migrated());
    const squatter = await post(s, 'signUp', account);
    await approveUser(s.deps, squatter.id);
    const { token: program } = await s.makeToken(squatter);
    const token = await linkFor(s);
    expect((await s.call(null, 'getSignInLink', { token })).link?.isFirstProof).toBe(true);
    const owner = await use(s, token);
    expect((await s.call(owner, 'getViewer', {})).user).toMatchObject({
      id: squatter.id,
      isEmailConfirmed: true,
    });
    expect(await viewerName(s, squatter)).toBeUndefined();
    expect(await refusal(s.call(null, 'signIn', { email, password }))).toBe('unauthenticated');
    const asProgram = await post(s, 'getViewer', {}, { authorization: `Bearer ${program}` });
    expect(asProgram.response.status).toBe(401);
    expect(await s.call(owner, 'getAccount', {})).toMatchObject({ hasPassword: false, isConnected: false });
  });

  it('waits for approval from then on', async () => {
    const s = await mailingSite(await migrated());
    const admin = await s.admin();
    const { id } = await post(s, 'signUp', account);
    const waiting = async () =>
      (await s.call(admin, 'getUsers', { list: 'pending' })).users.map(user => user.id);
    expect(await waiting()).toEqual([]);
    await use(s, await linkFor(s));
    expect(await waiting()).toEqual([id]);
  });

  it('42. keeps password, sessions and tokens where it had confirmed its address before', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    await approveUser(s.deps, mina.id);
    const { token: program } = await s.makeToken(mina);
    const token = await linkFor(s);
    expect((await s.call(null, 'getSignInLink', { token })).link?.isFirstProof).toBe(false);
    await use(s, token);
    expect(await viewerName(s, mina)).toBe('mina');
    expect((await post(s, 'signIn', { email, password })).response.status).toBe(200);
    const asProgram = await post(s, 'getViewer', {}, { authorization: `Bearer ${program}` });
    expect(asProgram.response.status).toBe(200);
  });
});

describeEngines('a link that signs in an admin', ({ migrated }) => {
  it('stands in the history with who it was, and is kept as a digest alone', async () => {
    const s = await mailingSite(await migrated());
    const admin = await s.admin();
    const token = await linkFor(s, `${admin.username}@example.com`);
    const rows = await s.deps.db.selectFrom('email_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    const signedIn = await use(s, token);
    const { entries } = await s.call(signedIn, 'getHistory', { kind: 'admin-signed-in' });
    expect(entries.map(entry => entry.actor?.id)).toEqual([admin.id]);
    expect(JSON.stringify(await s.deps.db.selectFrom('history').selectAll().execute())).not.toContain(token);
  });
});

describeEngines('the first proof of an address', ({ migrated }) => {
  it.each([
    ['a link to log in', async (s: Site) => void (await use(s, await linkFor(s)))],
    [
      'a new password',
      async (s: Site) => {
        await s.call(null, 'requestPasswordReset', { email });
        const mail = await s.deps.db
          .selectFrom('mails')
          .select('data')
          .where('kind', '=', 'reset')
          .executeTakeFirstOrThrow();
        await s.call(null, 'resetPassword', { token: JSON.parse(mail.data).token, password: 'another one' });
      },
    ],
  ])('by %s, tells which passkeys it removes', async (_, prove) => {
    const s = await mailingSite(await migrated());
    const { id } = await post(s, 'signUp', account);
    const key = { public_key: 'x', counter: 0, transports: '', is_synced: false };
    const add = async (...names: string[]) =>
      await s.deps.db
        .insertInto('passkeys')
        .values(
          names.map(name => ({
            id: name,
            user_id: id,
            name,
            credential_id: name,
            ...key,
            created_at: s.deps.clock(),
            last_used_at: null,
          })),
        )
        .execute();
    await add('phone', 'laptop');
    await prove(s);
    expect(await s.deps.db.selectFrom('passkeys').select('id').execute()).toEqual([]);
    const removals = async () =>
      (await noticesOf(s, { id })).filter(({ notice }) => notice === 'unproven-passkeys-removed');
    expect((await removals()).map(({ name }) => name?.split(', ').sort())).toEqual([['‘laptop’', '‘phone’']]);
    const history = await s.deps.db
      .selectFrom('history')
      .select(['user_id', 'detail'])
      .where('kind', '=', 'passkey-removed')
      .execute();
    expect(history.map(row => [row.user_id, JSON.parse(row.detail).thing.name]).sort()).toEqual([
      [id, 'laptop'],
      [id, 'phone'],
    ]);
    // Once the address is proven, what is added stays, and nobody is told of what is not.
    await add('watch');
    await s.deps.db.deleteFrom('mails').where('kind', '<>', 'notice').execute();
    s.wait(10 * minute);
    await prove(s);
    expect(await s.deps.db.selectFrom('passkeys').select('id').execute()).toEqual([{ id: 'watch' }]);
    expect(await removals()).toHaveLength(1);
  });
});
