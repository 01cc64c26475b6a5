import { expect, it } from 'vitest';
import { denyUser, undoDecision } from '../../server/accounts/members/decide.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { joinAs, linkFor, mailedToken, newcomer } from '../support/invitations.ts';
import { insertSession } from '../support/people.ts';
import { changeUser } from '../support/rows.ts';
import { openSite, type Person, refusal, type Site } from '../support/site.ts';

const withMail = { SMTP_URL: 'smtp://127.0.0.1:1' };

/** What the holder of a link can do with it. */
const offerFor = async (s: Site, who: Person, token: string) =>
  (await s.call(who, 'getInvitation', { token })).invitation?.use;

const accept = (s: Site, who: Person, token: string) => s.call(who, 'acceptInvitation', { token });

async function inviteByMail(s: Site, admin: Person, email: string, tags: string[] = []): Promise<string> {
  await s.call(admin, 'createInvitations', { tags, for: [{ email }] });
  return await mailedToken(s, email);
}

const tagsRead = async (s: Site, who: Person) =>
  (await s.call(who, 'getPosts', {})).posts.map(({ tags }) => tags.join()).sort();

const usesOf = async (s: Site, admin: Person) =>
  (await s.call(admin, 'listInvitations', {})).invitations.map(({ uses }) => uses);

describeEngines(({ siteWithAdmin, migrated }) => {
  it('somebody who signed up with the invited address uses the invitation for that account', async () => {
    const s = await openSite(await migrated(), withMail);
    const admin = await s.admin();
    await publish(s, admin, shortPost('for the family', ['family']));
    const token = await inviteByMail(s, admin, 'karl@example.com', ['family']);
    const karl = await s.signUp('karl');
    await changeUser(s, karl.id, { email_verified: true, introduction: 'It is me.' });
    expect([await offerFor(s, null, token), await offerFor(s, karl, token)]).toEqual([
      'log-in',
      'own-account',
    ]);
    const viewer = await accept(s, karl, token);
    expect(viewer.user).toMatchObject({ username: 'karl', isApproved: true, isEmailConfirmed: true });
    expect(await tagsRead(s, karl)).toEqual(['family']);
    const { invitations } = await s.call(admin, 'listInvitations', {});
    expect(invitations).toMatchObject([{ state: 'used', uses: 1, joined: [{ username: 'karl' }] }]);
    const { entries } = await s.call(admin, 'getHistory', { kind: 'joined' });
    expect(entries).toMatchObject([
      { actor: { name: 'karl' }, after: 'approved', gave: [{ name: 'family' }] },
    ]);
    // It is used up, as by a join, and the link says so to everybody who has it.
    expect(await refusal(accept(s, karl, token))).toBe('failed-precondition');
    for (const who of [null, karl]) {
      expect(await s.call(who, 'getInvitation', { token })).toEqual({ invitation: null, isUsed: true });
    }
    await s.close();
  });

  it('a mailed invitation confirms the address of the account that uses it, a link for several does not', async () => {
    const s = await openSite(await migrated(), withMail);
    const admin = await s.admin();
    const token = await inviteByMail(s, admin, 'karl@example.com');
    const karl = await s.signUp('karl');
    // Whoever has the mail and is signed out makes an account of their own instead of this one.
    expect(await offerFor(s, null, token)).toBe('join');
    expect((await accept(s, karl, token)).user).toMatchObject({ isApproved: true, isEmailConfirmed: true });
    const link = await linkFor(s, admin, 2);
    const lucy = await s.signUp('lucy');
    expect((await accept(s, lucy, link.token)).user).toMatchObject({
      isApproved: true,
      isEmailConfirmed: false,
    });
    await s.close();
  });

  it('a link for several people gives a member the tags that they lack, and is not used up where they lack none', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('a', ['family']), shortPost('b', ['friends']));
    const { token } = await linkFor(s, admin, 3, ['family', 'friends']);
    const member = await s.member(['family']);
    expect(await offerFor(s, member, token)).toBe('own-account');
    await accept(s, member, token);
    expect(await tagsRead(s, member)).toEqual(['family', 'friends']);
    expect(await offerFor(s, member, token)).toBe('nothing');
    await accept(s, member, token);
    expect(await offerFor(s, admin, token)).toBe('nothing');
    await accept(s, admin, token);
    expect(await usesOf(s, admin)).toEqual([1]);
  });

  it('an invitation does not give back a tag that an admin has taken away', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('a', ['family']), shortPost('b', ['friends']));
    const family = await linkFor(s, admin, 3, ['family']);
    const both = await linkFor(s, admin, 3, ['family', 'friends']);
    const ann = await joinAs(s, { token: family.token, ...newcomer('ann') });
    await s.call(admin, 'setApprovedTags', { userId: ann.id, tags: [] });
    expect(await offerFor(s, ann, family.token)).toBe('nothing');
    await accept(s, ann, family.token);
    await accept(s, ann, both.token);
    expect(await tagsRead(s, ann)).toEqual(['friends']);
  });

  it('an invitation does not let in an account that was denied, or whose address was denied since', async () => {
    const s = await openSite(await migrated(), withMail);
    const admin = await s.admin();
    const { token } = await linkFor(s, admin, 3);
    const mailed = await inviteByMail(s, admin, 'karl@example.com');
    s.wait(1_000);
    const karl = await s.signUp('karl');
    await denyUser(s.deps, karl.id);
    // Denied people may sign in, with the rights of a visitor.
    const denied = { ...karl, cookie: `coterie-session=${await insertSession(s.deps, karl.id)}` };
    for (const link of [token, mailed]) {
      expect(await offerFor(s, denied, link)).toBe('refused');
      expect(await refusal(accept(s, denied, link))).toBe('failed-precondition');
    }
    // Nor once they have deleted the account, by the mail from before the denial.
    await s.deps.db.deleteFrom('users').where('id', '=', karl.id).execute();
    const anew = await joinAs(s, { token: mailed, username: 'karl', name: 'Karl' });
    expect((await s.call(anew, 'getViewer', {})).user).toMatchObject({ pendingApproval: true });
    expect(await offerFor(s, anew, token)).toBe('refused');
    await s.close();
  });

  it('an invitation for one address is for no account with another one', async () => {
    const s = await openSite(await migrated(), withMail);
    const token = await inviteByMail(s, await s.admin(), 'karl@example.com');
    const other = await s.signUp('other');
    expect(await offerFor(s, other, token)).toBe('other-address');
    expect(await refusal(accept(s, other, token))).toBe('failed-precondition');
    await s.close();
  });

  it('an approval by an invitation cannot be undone as a decision of an admin could', async () => {
    const [s, admin] = await siteWithAdmin();
    const { token } = await linkFor(s, admin, 3);
    const karl = await s.signUp('karl');
    await s.call(admin, 'approveUser', { userId: karl.id });
    await undoDecision(s.deps, karl.id, {});
    await accept(s, karl, token);
    expect(await refusal(s.call(admin, 'undoDecision', { userId: karl.id }))).toBe('failed-precondition');
  });

  it('where a site takes no new accounts, no waiting account comes in by an invitation, and a member may use one', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('a', ['family']));
    const { token } = await linkFor(s, admin, 3, ['family']);
    const waiting = await s.signUp('waiting');
    const member = await s.member();
    await s.call(admin, 'saveSiteSettings', { values: { signUp: 'nobody' }, version: 0 });
    expect(await refusal(accept(s, waiting, token))).toBe('failed-precondition');
    await accept(s, member, token);
    expect(await tagsRead(s, member)).toEqual(['family']);
  });

  it('the form of the page uses an invitation without scripts', async () => {
    const [s, admin] = await siteWithAdmin();
    const { token } = await linkFor(s, admin, 1);
    const karl = await s.signUp('karl');
    const send = () =>
      s.request(`/invite?token=${token}`, karl, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: s.config.publicUrl },
        body: 'ownAccount=yes',
      });
    expect((await send()).headers.get('location')).toBe('/');
    expect((await s.call(karl, 'getViewer', {})).user).toMatchObject({ isApproved: true });
    expect((await send()).headers.get('location')).toBe(`/invite?token=${token}&failed=over`);
  });
});
