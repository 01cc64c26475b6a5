import { TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { currentVisitor } from '../../server/access/viewer.ts';
import { approveUser, denyUser } from '../../server/accounts/members/decide.ts';
import { endAccess } from '../../server/accounts/sessions/end-access.ts';
import { sweepEmailLinks } from '../../server/accounts/sign-in/email.ts';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { signInByLink } from '../../server/accounts/sign-in/sign-in-link.ts';
import { internalInvocation } from '../../server/operations.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { onceRead } from '../support/queries.ts';
import { mailOfKind } from '../support/rows.ts';
import {
  codeFor,
  confirmed,
  linkFor,
  mailingSite,
  minute,
  use,
  viewerName,
} from '../support/sign-in-links.ts';
import { ageSessions, type Person, post, refusal, type Site } from '../support/site.ts';

const { email, password } = account;

const sessionsOf = async (s: Site, userId: string) =>
  await s.deps.db.selectFrom('sessions').select('id').where('user_id', '=', userId).orderBy('id').execute();

describeEngines(({ migrated }) => {
  it('42. a link that signs in works once, with the press of a button and not by being opened', async () => {
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
    expect([again.status, again.headers.getSetCookie()]).toEqual([400, []]);
    expect(await s.call(null, 'getSignInLink', { token })).toEqual({ link: null });
    expect((await s.request(`/sign-in?token=${token}`)).status).toBe(403);
  });

  it('42, 60. a link that signs in signs in only one of several who use it at the same moment', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    await s.call(mina, 'signOut', {});
    const token = await linkFor(s);
    const all = await Promise.all(Array.from({ length: 4 }, () => use(s, token)));
    expect(all.map(one => one.status).sort()).toEqual([200, 400, 400, 400]);
    expect(all.filter(one => one.cookie.includes('coterie-session'))).toHaveLength(1);
    expect(await sessionsOf(s, mina.id)).toHaveLength(1);
  });

  it('42. links that sign in expire after a quarter of an hour, and when another one is used', async () => {
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
    '38. links that sign in end with what ends sessions: %s',
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

  it('38. links that sign in leave no session if the account is signed out everywhere while one is used', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const token = await linkFor(s);
    // As soon as the link is found.
    const read = onceRead(
      row => 'digest' in row,
      () => s.deps.db.transaction().execute(trx => endAccess(trx, s.deps, mina.id)),
    );
    const nobody = await currentVisitor(s.deps);
    const entering = { ...internalInvocation(s.deps, nobody), db: s.deps.db.withPlugin(read.plugin) };
    expect(await refusal(signInByLink(entering, { token }, true))).toBe('failed-precondition');
    expect(read.isDone()).toBe(true);
    expect([...entering.replyHeaders]).toEqual([]);
    expect(await sessionsOf(s, mina.id)).toEqual([]);
  });

  it('37, 42. links that sign in name the account before they sign in to another one than before, and end the earlier session', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    const lucy = await s.member([], 'lucy');
    const token = await linkFor(s);
    const page = await (await s.request(`/sign-in?token=${token}`, lucy)).text();
    expect(page).toContain('You are logged in as <!-- -->lucy<!-- --> now. Logging in ends that session.');
    expect(await viewerName(s, lucy)).toBe('lucy');
    expect(await viewerName(s, await use(s, token, lucy))).toBe('mina');
    expect(await viewerName(s, lucy)).toBeUndefined();
  });

  it('37, 39. links that sign in give the session of the same account in the browser a recent sign-in, and no other session', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const elsewhere = await post(s, 'signIn', { email, password });
    await ageSessions(s);
    const leave = (as: Person) => refusal(s.call(as, 'deleteAccount', { comments: 'keep' }));
    expect(await leave(mina)).toBe('failed-precondition');
    const token = await linkFor(s);
    const page = await (await s.request(`/sign-in?token=${token}`, mina)).text();
    expect(page).toContain('This confirms that it is you.');
    expect(page).not.toContain('Keep me logged in');
    const before = await sessionsOf(s, mina.id);
    const used = await use(s, token, mina);
    // No other session, so what was begun in another tab goes on in this one.
    expect([used.status, used.cookie]).toEqual([200, '']);
    expect(await sessionsOf(s, mina.id)).toEqual(before);
    expect(await leave(elsewhere)).toBe('failed-precondition');
    expect(await refusal(s.call(mina, 'signInByLink', { token }))).toBe('failed-precondition');
    await s.call(mina, 'deleteAccount', { comments: 'keep' });
  });

  it('37, 39. links that sign in confirm nothing without the code of an account with a second factor', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const { secret } = await s.call(mina, 'requestSecondFactor', {});
    const code = () => new TOTP({ secret }).generate({ timestamp: s.deps.clock() });
    await s.call(mina, 'turnOnSecondFactor', { secret, code: code() });
    await ageSessions(s);
    const isRecent = async () => (await s.call(mina, 'getAccount', {})).hasRecentSignIn;
    const asked = await use(s, await linkFor(s), mina);
    expect([asked.status, await isRecent()]).toEqual([401, false]);
    s.wait(minute);
    const given = await post(
      s,
      'signInWithCode',
      { code: code() },
      { cookie: `${mina.cookie}; ${asked.cookie}` },
    );
    expect([given.status, given.cookie, await isRecent()]).toEqual([200, '', true]);
    expect(await sessionsOf(s, mina.id)).toHaveLength(1);
  });

  it('34. links that sign in cannot be used by a page of another site, not with a form either', async () => {
    const s = await mailingSite(await migrated(), { CORS_ORIGINS: 'https://app.example' });
    const mina = await confirmed(s);
    const token = await linkFor(s);
    const elsewhere: Record<string, string>[] = [
      { origin: 'https://app.example', 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ];
    for (const from of elsewhere) {
      expect((await post(s, 'signInByLink', { token }, { headers: from })).status).toBe(403);
      const form = await s.request(`/sign-in?token=${token}`, null, {
        method: 'POST',
        headers: { ...from, 'content-type': 'application/x-www-form-urlencoded' },
        body: '',
      });
      expect([form.status, form.headers.getSetCookie()]).toEqual([403, []]);
    }
    expect(await sessionsOf(s, mina.id)).toHaveLength(1);
  });

  it('42. a link signs in or confirms an address, whichever it was made for', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    const token = await linkFor(s);
    expect(await s.call(null, 'getEmailLink', { token })).toEqual({ link: null });
    expect(await refusal(s.call(null, 'confirmEmail', { token }))).toBe('failed-precondition');
    const mail = await mailOfKind(s, 'confirm');
    const confirm = (JSON.parse(mail.data) as { token: string }).token;
    expect(await s.call(null, 'getSignInLink', { token: confirm })).toEqual({ link: null });
    expect(await refusal(s.call(null, 'signInByLink', { token: confirm }))).toBe('failed-precondition');
    expect((await use(s, token)).status).toBe(200);
  });
});

describeEngines(({ migrated }) => {
  it('the code beside a mailed link signs in once where it is typed, and only the newest one does', async () => {
    const s = await mailingSite(await migrated());
    const { id } = await confirmed(s);
    const mailing = await withSmtp(s);
    const older = await codeFor(s, mailing);
    s.wait(6 * minute);
    const code = await codeFor(s, mailing);
    expect(await refusal(s.call(null, 'signInByLink', { email, code: older }))).toBe('failed-precondition');
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`;
    expect((await post(s, 'signInByLink', { email: 'Mina@Example.com', code: typed })).id).toBe(id);
    expect(await refusal(s.call(null, 'signInByLink', { email, code }))).toBe('failed-precondition');
  });

  it('the code beside a mailed link is tried five times, and twenty times a day; the link works all the same', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    const mailing = await withSmtp(s);
    const code = await codeFor(s, mailing);
    const wrong = code === '000000' ? '000001' : '000000';
    const tried = () => refusal(s.call(null, 'signInByLink', { email, code: wrong }));
    for (let go = 0; go < 5; go += 1) expect(await tried()).toBe('failed-precondition');
    expect(await refusal(s.call(null, 'signInByLink', { email, code }))).toBe('resource-exhausted');
    expect(await refusal(s.call(null, 'signInByLink', { email: 'nobody@example.com', code }))).toBe(
      'failed-precondition',
    );
    const [, token = ''] = /\/sign-in\?token=([\w.-]+)/.exec(mailing.smtp.mails.at(-1)?.text ?? '') ?? [];
    expect((await use(s, token)).username).toBe('mina');
    for (let quarter = 0; quarter < 3; quarter += 1) {
      s.wait(16 * minute);
      for (let go = 0; go < 5; go += 1) expect(await tried()).toBe('failed-precondition');
    }
    s.wait(16 * minute);
    expect(await tried()).toBe('resource-exhausted');
  });

  it('the code beside a mailed link is in no mail to an address that nobody has proved', async () => {
    const s = await mailingSite(await migrated());
    const smtp = await withSmtp(s);
    await s.call(null, 'signUp', account);
    expect(await codeFor(s, smtp)).toBe('');
  });
});

describeEngines(({ migrated }) => {
  it('sign-ins of an admin by a link are in the history with their user, and stored only as a digest', async () => {
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
