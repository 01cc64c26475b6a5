import { expect, it } from 'vitest';
import { sweepInvitations } from '../../server/accounts/invitations/write.ts';
import { setAdmin } from '../../server/accounts/members/roles.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { joinAs, linkFor, newcomer } from '../support/invitations.ts';
import { refusal, type Site } from '../support/site.ts';

const day = 24 * 60 * 60_000;

describeEngines(({ site, siteWithAdmin }) => {
  it('invitations let anybody with the link join, approved with its tags and signed in', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('for the family', ['family']), shortPost('for friends', ['friends']));
    const { token } = await linkFor(s, admin, 2, ['family']);
    const ann = await joinAs(s, { token, ...newcomer('ann') });
    const { posts } = await s.call(ann, 'getPosts', {});
    expect(posts.map(post => post.tags)).toEqual([['family']]);
    const { users } = await s.call(admin, 'getUsers', { list: 'approved' });
    expect(users).toMatchObject([{ username: 'ann', approvedTags: ['family'], isEmailConfirmed: false }]);
    // And the password that they chose is theirs.
    await s.call(null, 'signIn', { email: 'ann@example.com', password: 'quincey' });
    // Nobody has shown that they read the mailbox.
    expect(await mailKinds(s)).toEqual(['confirm']);
  });

  it('invitations are listed with the accounts that joined by each', async () => {
    const [s, admin] = await siteWithAdmin();
    const { id, token } = await linkFor(s, admin, 2);
    await joinAs(s, { token, ...newcomer('ann') });
    s.wait(1_000);
    await joinAs(s, { token, ...newcomer('Bo_B') });
    s.wait(1_000);
    await linkFor(s, admin, 3);
    const { invitations } = await s.call(admin, 'listInvitations', {});
    expect(invitations).toMatchObject([
      { state: 'open', uses: 0, maxUses: 3, joined: [] },
      { id, state: 'used', uses: 2, maxUses: 2, joined: [{ username: 'ann' }, { username: 'Bo_B' }] },
    ]);
    expect(JSON.stringify(invitations)).not.toContain(token);
  });

  it('invitations made at once are listed as they were typed, before those made earlier', async () => {
    const [s, admin] = await siteWithAdmin();
    const invite = (...emails: string[]) =>
      s.call(admin, 'createInvitations', { tags: [], for: emails.map(email => ({ email })) });
    await invite('earlier@example.com');
    s.wait(60_000);
    const typed = Array.from({ length: 10 }, (_, index) => `guest${9 - index}@example.com`);
    await invite(...typed);
    const { invitations } = await s.call(admin, 'listInvitations', {});
    expect(invitations.map(({ email }) => email)).toEqual([...typed, 'earlier@example.com']);
  });

  it('invitations are listed page by page, newest first', async () => {
    const [s, admin] = await siteWithAdmin();
    for (let made = 0; made < 23; made += 1) await linkFor(s, admin, made + 1);
    const first = await s.call(admin, 'listInvitations', {});
    const second = await s.call(admin, 'listInvitations', { after: first.nextCursor });
    const seen = [...first.invitations, ...second.invitations].map(invitation => invitation.maxUses);
    expect([first.invitations.length, second.nextCursor]).toEqual([20, null]);
    expect(new Set(seen).size).toBe(23);
  });

  it('invitations end when they are used up, expired or revoked', async () => {
    const [s, admin] = await siteWithAdmin();
    const used = await linkFor(s, admin, 1);
    await joinAs(s, { token: used.token, ...newcomer('ann') });
    const revoked = await linkFor(s, admin, 1);
    await s.call(admin, 'revokeInvitation', { invitationId: revoked.id });
    const over = await linkFor(s, admin, 1);
    s.wait(30 * day);
    for (const { token } of [used, revoked, over]) {
      expect(await refusal(s.call(null, 'joinByInvitation', { token, ...newcomer('bob') }))).toBe(
        'failed-precondition',
      );
      expect(await s.call(null, 'getInvitation', { token })).toMatchObject({ invitation: null });
      expect((await s.request(`/invite?token=${token}`)).status).toBe(403);
    }
    const { invitations } = await s.call(admin, 'listInvitations', {});
    expect(Object.fromEntries(invitations.map(({ id, state }) => [id, state]))).toEqual({
      [used.id]: 'used',
      [revoked.id]: 'ended',
      [over.id]: 'expired',
    });
  });

  it('invitations do not give a tag that was removed from them or deleted, also after it is added again', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('a', ['family']), shortPost('b', ['friends']));
    const { id, token } = await linkFor(s, admin, 3, ['family', 'friends']);
    const version = (await s.call(admin, 'listInvitations', {})).invitations[0]?.version;
    await s.call(admin, 'setInvitationTags', { invitationId: id, tags: ['friends'], version });
    // Another admin saw the tags as they were before.
    const input = { invitationId: id, tags: ['family'], version };
    expect(await refusal(s.call(admin, 'setInvitationTags', input))).toBe('aborted');
    const ann = await joinAs(s, { token, ...newcomer('ann') });
    expect((await s.call(ann, 'getPosts', {})).posts.map(post => post.tags)).toEqual([['friends']]);
    const { tags } = await s.call(admin, 'getManagedTags', {});
    await s.call(admin, 'deleteTag', { tagId: tags.find(tag => tag.name === 'friends')?.id ?? '' });
    await s.call(admin, 'addTag', { name: 'friends' });
    const bo = await joinAs(s, { token, ...newcomer('bob') });
    expect((await s.call(bo, 'getPosts', {})).posts).toEqual([]);
    expect((await s.call(admin, 'listInvitations', {})).invitations[0]?.tags).toEqual([]);
    await s.call(admin, 'deleteTag', { tagId: tags.find(tag => tag.name === 'family')?.id ?? '' });
    const deleted = s.call(admin, 'createInvitations', { tags: ['family'], for: { uses: 1 } });
    expect(await refusal(deleted)).toBe('invalid-argument');
  });

  it('invitations are made after a preview of what new members could read', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(
      s,
      admin,
      shortPost('open'),
      shortPost('a', ['family']),
      shortPost('b', ['family', 'secret']),
    );
    expect(await s.call(admin, 'previewNewMember', { tags: ['family'] })).toEqual({ gained: 1 });
    expect(await s.call(admin, 'previewNewMember', { tags: ['family', 'secret'] })).toEqual({ gained: 2 });
  });

  it('invitations are deleted a while after their end if nobody joined by them', async () => {
    const [s, admin] = await siteWithAdmin();
    const used = await linkFor(s, admin, 2);
    await joinAs(s, { token: used.token, ...newcomer('ann') });
    await linkFor(s, admin, 1);
    const left = async () => {
      await sweepInvitations(s.deps);
      return (await s.deps.db.selectFrom('invitations').select('id').execute()).map(row => row.id);
    };
    s.wait(119 * day);
    expect(await left()).toHaveLength(2);
    s.wait(2 * day);
    expect(await left()).toEqual([used.id]);
  });

  it('invitations can be made only by admins, and not with access tokens', async () => {
    const [s, admin] = await siteWithAdmin();
    const { id } = await linkFor(s, admin, 1);
    const calls = [
      (as: typeof admin | null) => s.call(as, 'createInvitations', { tags: [], for: { uses: 1 } }),
      (as: typeof admin | null) => s.call(as, 'listInvitations', {}),
      (as: typeof admin | null) => s.call(as, 'setInvitationTags', { invitationId: id, tags: [] }),
      (as: typeof admin | null) => s.call(as, 'revokeInvitation', { invitationId: id }),
      (as: typeof admin | null) => s.call(as, 'previewNewMember', { tags: [] }),
    ];
    const member = await s.member();
    for (const call of calls) {
      expect([await refusal(call(null)), await refusal(call(member))]).toEqual([
        'unauthenticated',
        'permission-denied',
      ]);
    }
    const { token } = await s.makeToken(admin);
    for (const name of ['createInvitations', 'setInvitationTags', 'revokeInvitation']) {
      const response = await s.request(`/api/${name}`, null, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ data: {} }),
      });
      expect([name, response.status]).toEqual([name, 403]);
    }
  });

  it('invitations end when the admin who made them signs out everywhere or loses the role', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const open = async (token: string) =>
      (await s.call(null, 'getInvitation', { token })).invitation !== null;
    const first = await linkFor(s, admin, 1);
    const others = await linkFor(s, other, 1);
    await setAdmin(s.deps, admin.id, false);
    expect(await open(first.token)).toBe(false);
    expect(await refusal(s.call(null, 'joinByInvitation', { ...newcomer('ann'), token: first.token }))).toBe(
      'failed-precondition',
    );
    await setAdmin(s.deps, admin.id, true);
    expect(await open(first.token)).toBe(false);
    await s.call(other, 'signOutEverywhere', {});
    expect(await open(others.token)).toBe(false);
  });

  it('invitations work without scripts, and what was typed is shown again after a refusal', async () => {
    const s = await site();
    const { token } = await linkFor(s, await s.admin(), 1);
    const send = (fields: Record<string, string>) =>
      s.request(`/invite?token=${token}`, null, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: s.config.publicUrl, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      });
    await s.member([], 'taken');
    const refused = await send({ ...newcomer('taken'), email: 'ann@example.com' });
    const back = refused.headers.get('location') ?? '';
    expect(refused.status).toBe(303);
    expect(back).not.toContain('quincey');
    const page = await (await s.request(back)).text();
    expect(page).toContain('This username is already taken.');
    expect(page).toContain('value="ann@example.com"');
    const joined = await send(newcomer('ann'));
    expect([joined.status, joined.headers.get('location')]).toEqual([303, '/']);
    expect(joined.headers.getSetCookie().join()).toContain('coterie-session=');
  });
});

async function mailKinds(s: Site): Promise<string[]> {
  const rows = await s.deps.db.selectFrom('mails').select('kind').execute();
  return rows.map(row => row.kind);
}
