import { expect, it } from 'vitest';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { mailOfKind } from '../support/rows.ts';
import { codeNow } from '../support/second-factor.ts';
import { openSite, post, renewSessions, type Site } from '../support/site.ts';

const withMail = { SMTP_URL: 'smtp://127.0.0.1:1' };

async function tokenOf(s: Site, kind: 'confirm' | 'reset'): Promise<string> {
  const mail = await mailOfKind(s, kind);
  return (JSON.parse(mail.data) as { token: string }).token;
}

const usernames = async (s: Site, list: 'pending' | 'unconfirmed') =>
  (await s.call(await s.admin(), 'getUsers', { list })).users.map(user => user.username);

/** How often the admins have been told of those who wait. */
async function timesTold(s: Site): Promise<number> {
  await queueAdminDigests(s.deps);
  const mails = await s.deps.db.selectFrom('mails').select('id').where('kind', '=', 'waiting').execute();
  return mails.length;
}

const toldAdmins = async (s: Site) => (await timesTold(s)) > 0;

async function isConfirmed(s: Site): Promise<boolean> {
  const users = s.deps.db.selectFrom('users').select('email_verified').where('username', '=', 'mina');
  return Boolean((await users.executeTakeFirstOrThrow()).email_verified);
}

describeEngines(({ migrated }) => {
  it('confirming an address is required before approval if the site sends mail, and then the admins are told', async () => {
    const s = await openSite(await migrated(), withMail);
    const mina = await post(s, 'signUp', account);
    const page = async () => await (await s.request('/', mina)).text();
    expect([await usernames(s, 'pending'), await usernames(s, 'unconfirmed')]).toEqual([[], ['mina']]);
    expect(await page()).toContain('Please confirm mina@example.com with the link');
    expect(await toldAdmins(s)).toBe(false);
    await s.call(null, 'confirmEmail', { token: await tokenOf(s, 'confirm') });
    expect([await usernames(s, 'pending'), await usernames(s, 'unconfirmed')]).toEqual([['mina'], []]);
    expect(await page()).toContain('Your account is waiting for approval by an admin.');
    expect(await toldAdmins(s)).toBe(true);
    await s.close();
  });

  it.each([{}, { ...withMail, CONFIRM_EMAIL_FIRST: 'false' }])(
    'confirming an address holds nobody up without mail, or where the setting says so: %j',
    async settings => {
      const s = await openSite(await migrated(), settings);
      await s.call(null, 'signUp', account);
      expect([await usernames(s, 'pending'), await usernames(s, 'unconfirmed')]).toEqual([['mina'], []]);
      expect(await toldAdmins(s)).toBe(true);
      await s.close();
    },
  );

  it('people who signed up while no mail was sent go on waiting once it is, and are asked for no confirmation', async () => {
    const place = await migrated();
    const before = await openSite(place);
    const mina = await post(before, 'signUp', account);
    const admin = await before.admin();
    const anHourAgo = new Date(before.deps.clock() - 3_600_000).toISOString();
    await before.deps.db.updateTable('users').set({ created_at: anHourAgo }).execute();
    await before.close();
    for (const username of ['lucy', 'john']) {
      const s = await openSite(place, withMail);
      await s.call(null, 'signUp', { ...account, username, email: `${username}@example.com` });
      const { users } = await s.call(admin, 'getUsers', { list: 'pending' });
      expect(users).toMatchObject([{ username: 'mina', isUnconfirmed: false }]);
      const unconfirmed = await s.call(admin, 'getUsers', { list: 'unconfirmed' });
      expect(unconfirmed.users).toContainEqual(expect.objectContaining({ username, isUnconfirmed: true }));
      expect(await (await s.request('/', mina)).text()).toContain('Your account is waiting for approval');
      await s.close();
    }
  });

  it('people who signed up while an address had to be confirmed wait for no admin because of one start without mail', async () => {
    const place = await migrated();
    const first = await openSite(place, withMail);
    const admin = await first.admin();
    await first.call(null, 'signUp', account);
    const anHourAgo = new Date(first.deps.clock() - 3_600_000).toISOString();
    await first.deps.db.updateTable('users').set({ created_at: anHourAgo }).execute();
    await first.close();
    for (const settings of [{}, withMail]) {
      const s = await openSite(place, settings);
      expect((await s.call(admin, 'getUsers', { list: 'pending' })).users).toEqual([]);
      expect((await s.call(admin, 'getUsers', { list: 'unconfirmed' })).users).toMatchObject([
        { username: 'mina' },
      ]);
      await s.close();
    }
  });

  it('admins are told once of each who waits, whatever they change in their account, and however they confirmed', async () => {
    const s = await openSite(await migrated(), withMail);
    await s.admin();
    const mina = await post(s, 'signUp', account);
    await s.call(null, 'confirmEmail', { token: await tokenOf(s, 'confirm') });
    expect(await timesTold(s)).toBe(1);
    const hour = 60 * 60_000;
    s.wait(2 * hour);
    await renewSessions(s);
    await s.call(mina, 'changeName', { name: 'Mina Murray' });
    expect(await timesTold(s)).toBe(1);
    const { secret } = await s.call(mina, 'requestSecondFactor', {});
    await s.call(mina, 'turnOnSecondFactor', { secret, code: codeNow(s, secret) });
    expect(await timesTold(s)).toBe(1);

    const lucy = await s.call(null, 'signUp', { ...account, username: 'lucy', email: 'lucy@example.com' });
    await s.deps.db
      .updateTable('users')
      .set({ updated_at: new Date(s.deps.clock() - 3 * hour).toISOString() })
      .where('id', '=', lucy.user?.id ?? '')
      .execute();
    await s.call(null, 'requestPasswordReset', { email: 'lucy@example.com' });
    expect(await timesTold(s)).toBe(1);
    await s.call(null, 'resetPassword', { token: await tokenOf(s, 'reset'), password: 'another' });
    expect(await timesTold(s)).toBe(2);
    await s.close();
  });

  it('confirming an address does not keep admins from deciding about unconfirmed accounts', async () => {
    const s = await openSite(await migrated(), withMail);
    const { user } = await s.call(null, 'signUp', account);
    const approved = await s.call(await s.admin(), 'approveUser', { userId: user?.id ?? '', tags: [] });
    expect(approved.user).toMatchObject({
      status: 'approved',
      isEmailConfirmed: false,
      isUnconfirmed: false,
    });
    await s.close();
  });

  it('an address is also confirmed when a new password is set with a mailed link, but not with a link that an admin passed on', async () => {
    const s = await openSite(await migrated(), withMail);
    const { user } = await s.call(null, 'signUp', account);
    const handed = new URL(await resetLink(s.deps, user?.id ?? '')).searchParams.get('token') ?? '';
    await s.call(null, 'resetPassword', { token: handed, password: 'another' });
    expect(await isConfirmed(s)).toBe(false);
    await s.call(null, 'requestPasswordReset', { email: account.email });
    await s.call(null, 'resetPassword', { token: await tokenOf(s, 'reset'), password: 'a third' });
    expect(await isConfirmed(s)).toBe(true);
    await s.close();
  });

  it('confirming an address does not happen with a link from the folder of mails, which an admin can open', async () => {
    const s = await openSite(await migrated(), {});
    await s.call(null, 'signUp', account);
    await s.call(null, 'requestPasswordReset', { email: account.email });
    await s.call(null, 'resetPassword', { token: await tokenOf(s, 'reset'), password: 'another' });
    expect(await isConfirmed(s)).toBe(false);
    await s.close();
  });
});
