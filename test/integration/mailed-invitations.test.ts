import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { joinAs, linkFor, mailedToken, newcomer, tokenOf } from '../support/invitations.ts';
import { changeUser, mailOfKind } from '../support/rows.ts';
import { openSite, refusal } from '../support/site.ts';
import { startSmtp } from '../support/smtp.ts';

const withMail = { SMTP_URL: 'smtp://127.0.0.1:1' };

describeEngines(({ site, migrated }) => {
  it('invitations by mail are mailed to each address, prove it, and ask for no password', async () => {
    const smtp = await startSmtp();
    const s = await openSite(await migrated(), { SMTP_URL: smtp.url });
    const admin = await s.admin();
    const answer = await s.call(admin, 'createInvitations', {
      tags: [],
      for: [{ email: 'Ann.Kay@example.org', name: 'Ann Käy' }, { email: 'bo@example.org' }],
    });
    expect(answer.made.map(({ link }) => link)).toEqual([null, null]);
    const token = await mailedToken(s, 'ann.kay@example.org');
    await deliverDue(s.deps);
    expect(smtp.mails.map(mail => mail.to).sort()).toEqual(['ann.kay@example.org', 'bo@example.org']);
    const mail = smtp.mails.find(({ to }) => to === 'ann.kay@example.org')?.text ?? '';
    expect(mail).toContain(`/invite?token=${token}`);
    expect((await s.call(null, 'getInvitation', { token })).invitation).toEqual({
      inviter: 'Person 1',
      email: 'ann.kay@example.org',
      isProven: true,
      use: 'join',
      name: 'Ann Käy',
      username: 'ann_kay',
    });
    const ann = await joinAs(s, { token, username: 'ann_kay', name: 'Ann Käy' });
    expect((await s.call(ann, 'getViewer', {})).user).toMatchObject({
      email: 'ann.kay@example.org',
      isApproved: true,
      isEmailConfirmed: true,
    });
    // No password opens an account that has none.
    for (const password of ['', ' ', 'null', 'undefined']) {
      const guess = s.call(null, 'signIn', { email: 'ann.kay@example.org', password });
      expect(['unauthenticated', 'invalid-argument']).toContain(await refusal(guess));
    }
    // They choose one by a mail when they want one.
    await s.call(null, 'requestPasswordReset', { email: 'ann.kay@example.org' });
    const reset = await mailOfKind(s, 'reset');
    const chosen = JSON.parse(reset.data) as { token: string };
    await s.call(null, 'resetPassword', { token: chosen.token, password: 'quincey' });
    await s.call(null, 'signIn', { email: 'ann.kay@example.org', password: 'quincey' });
    await s.close();
    await smtp.stop();
  });

  it('invitations by mail are mailed in the name of the admin who made them, and not once they are no admin any more', async () => {
    const smtp = await startSmtp();
    const s = await openSite(await migrated(), { SMTP_URL: smtp.url });
    const admin = await s.admin();
    await s.call(admin, 'changeName', { name: 'Mina Harker' });
    const invite = (email: string) => s.call(admin, 'createInvitations', { tags: [], for: [{ email }] });
    await invite('ann@example.org');
    await deliverDue(s.deps);
    const [mail] = smtp.mails;
    expect(mail?.text).toContain('Mina Harker invites you to read');
    await invite('bo@example.org');
    await s.deps.db.updateTable('users').set({ is_admin: false }).execute();
    await deliverDue(s.deps);
    expect(smtp.mails.map(({ to }) => to)).toEqual(['ann@example.org']);
    await s.close();
    await smtp.stop();
  });

  it('invitations for an address are deleted with the account that joined by them', async () => {
    const s = await site();
    const admin = await s.admin();
    const { made } = await s.call(admin, 'createInvitations', {
      tags: [],
      for: [{ email: 'ann@example.org' }, { email: 'bo@example.org' }],
    });
    const joinBy = (link: string | null | undefined, username: string) =>
      joinAs(s, { token: tokenOf(link), username, name: 'New Comer', password: 'quincey' });
    const reader = await joinBy(made[0]?.link, 'ann');
    await joinBy(made[1]?.link, 'bo');
    await s.call(reader, 'deleteAccount', { comments: 'keep' });
    const { invitations } = await s.call(admin, 'listInvitations', {});
    expect(invitations.map(({ email }) => email)).toEqual(['bo@example.org']);
  });

  it('invitations by mail are passed on as links if no mail is sent, and then ask for a password and do not confirm the address', async () => {
    const s = await site();
    const { made } = await s.call(await s.admin(), 'createInvitations', {
      tags: [],
      for: [{ email: 'ann@example.org' }],
    });
    const token = tokenOf(made[0]?.link);
    const names = { username: 'ann', name: 'Ann Kay' };
    expect(await refusal(s.call(null, 'joinByInvitation', { token, ...names }))).toBe('invalid-argument');
    const other = { token, ...names, email: 'other@example.org', password: 'quincey' };
    expect(await refusal(s.call(null, 'joinByInvitation', other))).toBe('invalid-argument');
    const ann = await joinAs(s, { token, ...names, password: 'quincey' });
    expect((await s.call(ann, 'getViewer', {})).user).toMatchObject({
      email: 'ann@example.org',
      isApproved: true,
      isEmailConfirmed: false,
    });
  });

  it('invitations passed on as links end once the site sends mail, which would prove the address', async () => {
    const place = await migrated();
    const silent = await openSite(place);
    const { made } = await silent.call(await silent.admin(), 'createInvitations', {
      tags: [],
      for: [{ email: 'ann@example.org' }],
    });
    const token = tokenOf(made[0]?.link);
    expect((await silent.call(null, 'getInvitation', { token })).invitation).not.toBeNull();
    await silent.close();
    const s = await openSite(place, withMail);
    expect(await s.call(null, 'getInvitation', { token })).toMatchObject({ invitation: null });
    await s.close();
  });

  it('invitations by mail replace an earlier one to the same address, and skip people with an account', async () => {
    const s = await openSite(await migrated(), withMail);
    const admin = await s.admin();
    await s.member([], 'mina');
    const invite = () =>
      s.call(admin, 'createInvitations', {
        tags: [],
        for: [{ email: 'ann@example.org' }, { email: 'mina@example.com' }],
      });
    expect((await invite()).known).toEqual(['mina@example.com']);
    const first = await mailedToken(s, 'ann@example.org');
    s.wait(1_000);
    await invite();
    const second = await mailedToken(s, 'ann@example.org');
    expect(second).not.toBe(first);
    expect(await s.call(null, 'getInvitation', { token: first })).toMatchObject({ invitation: null });
    expect((await s.call(null, 'getInvitation', { token: second })).invitation).not.toBeNull();
    await s.close();
  });

  it('invitations by mail do not subscribe an address that is not confirmed', async () => {
    const smtp = await startSmtp();
    const s = await openSite(await migrated(), { SMTP_URL: smtp.url });
    const admin = await s.admin();
    const { token } = await linkFor(s, admin, 1);
    const ann = await joinAs(s, { token, ...newcomer('ann') });
    await s.call(ann, 'setSubscription', { subscribed: true });
    await publish(s, admin, shortPost('first'));
    await deliverDue(s.deps);
    expect(smtp.mails.map(mail => /^Subject: (.*)$/m.exec(mail.source)?.[1]?.trim())).toEqual([
      'Confirm your email address for Coterie',
    ]);
    await changeUser(s, ann.id, { email_verified: true });
    await publish(s, admin, shortPost('second'));
    await deliverDue(s.deps);
    expect(smtp.mails.map(mail => mail.text.includes('second'))).toEqual([false, true]);
    await s.close();
    await smtp.stop();
  });

  it('invitations by mail leave somebody pending whose address was denied, unless an admin invites that address', async () => {
    const s = await openSite(await migrated(), withMail);
    const admin = await s.admin();
    const { token } = await linkFor(s, admin, 5);
    const ann = await joinAs(s, { token, ...newcomer('ann') });
    await denyUser(s.deps, ann.id);
    await s.deps.db.deleteFrom('users').where('id', '=', ann.id).execute();
    const again = await joinAs(s, { token, ...newcomer('ann') });
    expect((await s.call(again, 'getViewer', {})).user).toMatchObject({ pendingApproval: true });
    await s.deps.db.deleteFrom('users').where('id', '=', again.id).execute();
    await s.call(admin, 'createInvitations', { tags: [], for: [{ email: 'ann@example.com' }] });
    const named = await joinAs(s, {
      token: await mailedToken(s, 'ann@example.com'),
      username: 'ann',
      name: 'Ann',
    });
    expect((await s.call(named, 'getViewer', {})).user).toMatchObject({ isApproved: true });
    await s.close();
  });
});
