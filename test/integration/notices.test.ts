import { expect, it } from 'vitest';
import { approveUser } from '../../server/accounts/members/decide.ts';
import { sweepBrowsers } from '../../server/accounts/sessions/known-browsers.ts';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { linkFor, newcomer } from '../support/invitations.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { noticesOf } from '../support/notices.ts';
import { changeUser } from '../support/rows.ts';
import { post, type Site } from '../support/site.ts';

const { email, password } = account;
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const laterFirefox = firefox.replaceAll('140.0', '141.0');
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604';
const day = 24 * 60 * 60_000;

type From = { agent?: string; peer?: string; cookie?: string };

/** Calls an operation in Firefox at home, unless it is said from where. */
async function send(s: Site, name: string, data: unknown, { agent = firefox, ...from }: From = {}) {
  const headers = { 'user-agent': agent };
  const answer = await post(s, name, data, { peer: '203.0.113.9', ...from, headers });
  expect(answer.error).toBeUndefined();
  return answer;
}

const signIn = (s: Site, from: From = {}, as = password) => send(s, 'signIn', { email, password: as }, from);

/** What a browser holds once it has signed out. */
const markOf = (cookies: string) => /coterie-browser=[^;]*/.exec(cookies)?.[0] ?? '';

const newSignIns = async (s: Site, person: { id: string }) =>
  (await noticesOf(s, person)).filter(({ notice }) => notice === 'new-sign-in');

describeEngines(({ site }) => {
  it('notices of a new sign-in are sent for a browser that has not signed in before, but not right after the sign-up', async () => {
    const s = await site();
    const mina = await send(s, 'signUp', account);
    expect(await newSignIns(s, mina)).toEqual([]);
    await signIn(s, { agent: phone, peer: '198.51.100.7' });
    expect(await newSignIns(s, mina)).toEqual([
      {
        notice: 'new-sign-in',
        name: 'Safari on iPhone',
        address: '198.51.100.7',
        at: s.deps.clock(),
      },
    ]);
  });

  it('notices of a new sign-in are not sent for a browser that is known by its cookie, in any network and after it has signed out', async () => {
    const s = await site();
    const mina = await send(s, 'signUp', account);
    await s.call(mina, 'signOut', {});
    const again = await signIn(s, { cookie: markOf(mina.cookie), peer: '198.51.100.7', agent: phone });
    expect(markOf(again.cookie)).toBe(markOf(mina.cookie));
    expect(await newSignIns(s, mina)).toEqual([]);
    // The cookie of one account says nothing of another.
    const lucy = await send(s, 'signUp', { ...account, username: 'lucy', email: 'lucy@example.com' });
    await s.call(lucy, 'signOut', {});
    const asLucy = { email: 'lucy@example.com', password };
    await send(s, 'signIn', asLucy, { cookie: markOf(mina.cookie), peer: '198.51.100.8', agent: phone });
    expect(await newSignIns(s, lucy)).toHaveLength(1);
  });

  it('notices of a new sign-in are not sent for a program without cookies while it has a session from the same network', async () => {
    const s = await site();
    const mina = await send(s, 'signUp', account);
    await signIn(s, { agent: laterFirefox });
    expect(await newSignIns(s, mina)).toEqual([]);
    await signIn(s, { agent: 'curl/8.1 (visit https://evil.example)', peer: '198.51.100.7' });
    expect((await newSignIns(s, mina)).map(({ name }) => name)).toEqual(['curl']);
  });

  it('notices of a new sign-in are sent once a day for a program that keeps neither cookie nor session', async () => {
    const s = await site();
    const mina = await send(s, 'signUp', account);
    const program = { agent: 'script/1', peer: '198.51.100.7' };
    for (const wait of [0, 1_000, day]) {
      s.wait(wait);
      await s.call(await signIn(s, program), 'signOut', {});
    }
    expect(await newSignIns(s, mina)).toHaveLength(2);
  });

  it('notices of a new sign-in are not sent to somebody who joins by an invitation', async () => {
    const s = await site();
    const { token } = await linkFor(s, await s.admin(), 1);
    const grete = await send(s, 'joinByInvitation', { token, ...newcomer('grete') });
    expect(await noticesOf(s, grete)).toEqual([]);
  });

  it('notices of a new sign-in are sent for every browser again after a new password, except for the one that set it', async () => {
    const s = await site();
    const mina = await send(s, 'signUp', account);
    const other = await signIn(s, { agent: phone, peer: '198.51.100.7' });
    await s.deps.db.deleteFrom('mails').execute();
    const passwords = { currentPassword: password, newPassword: 'another1' };
    const changed = await send(s, 'changePassword', passwords, { cookie: mina.cookie });
    await s.call(changed, 'signOut', {});
    await signIn(s, { cookie: markOf(changed.cookie), agent: phone, peer: '192.0.2.1' }, 'another1');
    expect(await newSignIns(s, mina)).toEqual([]);
    await signIn(s, { cookie: markOf(other.cookie), agent: firefox, peer: '198.51.100.7' }, 'another1');
    expect(await newSignIns(s, mina)).toHaveLength(1);
  });

  it('notices of a new sign-in are sent again for a browser that has not signed in for so long that its cookie has expired', async () => {
    const s = await site();
    await send(s, 'signUp', account);
    s.wait(400 * day + 1);
    await sweepBrowsers(s.deps);
    expect(await s.deps.db.selectFrom('known_browsers').selectAll().execute()).toEqual([]);
  });
});

describeEngines(({ site }) => {
  it('notices of a change are sent for a changed password, also for one that was set with a link', async () => {
    const s = await site();
    const mina = await send(s, 'signUp', account);
    await send(
      s,
      'changePassword',
      { currentPassword: password, newPassword: 'another1' },
      { cookie: mina.cookie },
    );
    const told = { notice: 'password-changed', at: s.deps.clock(), address: '203.0.113.9' };
    expect(await noticesOf(s, mina)).toEqual([told]);
    const token = new URL(await resetLink(s.deps, mina.id)).searchParams.get('token') ?? '';
    await send(s, 'resetPassword', { token, password: 'a third' }, { peer: '198.51.100.7' });
    expect(await noticesOf(s, mina)).toContainEqual({ ...told, address: '198.51.100.7' });
  });

  it('notices of a change say what to do, in plain text too, and contain no secret', async () => {
    const s = await site();
    const mina = await send(s, 'signUp', account);
    await approveUser(s.deps, mina.id);
    // No notice goes to an address that nobody has proved.
    await changeUser(s, mina.id, { email_verified: true });
    const { deliver } = await withSmtp(s);
    const session = await signIn(s, { agent: phone, peer: '198.51.100.7' });
    const mails = await deliver();
    expect(mails).toHaveLength(1);
    const [{ to, text, source } = { to: '', text: '', source: '' }] = mails;
    expect(to).toBe(email);
    expect(source).toContain('Subject: New sign-in at Coterie');
    for (const said of [
      'logged in as mina',
      'Safari on iPhone, January 1, 2026 at 00:00 (UTC), from the address 198.51.100.7.',
      `${s.config.publicUrl}/forgot-password`,
      `${s.config.publicUrl}/account`,
    ])
      expect(text).toContain(said);
    for (const cookie of session.cookie.split('; ')) expect(text).not.toContain(cookie.split('=')[1] ?? '');
  });
});
