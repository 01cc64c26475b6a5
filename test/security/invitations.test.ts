import { expect, it } from 'vitest';
import { setAdmin } from '../../server/accounts/members/roles.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { joinAs, linkFor, mailedToken, newcomer } from '../support/invitations.ts';
import { changeUser } from '../support/rows.ts';
import { openSite, post, refusal, type Site } from '../support/site.ts';

const withMail = { SMTP_URL: 'smtp://127.0.0.1:1' };

async function inviteByMail(s: Site, email: string): Promise<string> {
  await s.call(await s.admin(), 'createInvitations', { tags: [], for: [{ email }] });
  return await mailedToken(s, email);
}

const countUsers = async (s: Site) => (await s.deps.db.selectFrom('users').select('id').execute()).length;

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it('60. an invitation lets as many join as it says, however many try at once', async () => {
    const [s, admin] = await siteWithAdmin();
    const { id, token } = await linkFor(s, admin, 3);
    const people = Array.from({ length: 12 }, (_, index) => newcomer(`racer_${index}`));
    const answers = await Promise.all(people.map(person => joinAs(s, { token, ...person })));
    const statuses = answers.map(({ status }) => status);
    expect([statuses.filter(status => status === 200), statuses.filter(status => status === 400)]).toEqual([
      [200, 200, 200],
      Array(9).fill(400),
    ]);
    const { invitations } = await s.call(admin, 'listInvitations', {});
    expect(invitations.find(invitation => invitation.id === id)).toMatchObject({ uses: 3, state: 'used' });
    expect(await countUsers(s)).toBe(4);
  });

  it('60. an invitation that accounts use at once is used as often as it says, and each once', async () => {
    const [s, admin] = await siteWithAdmin();
    const { token } = await linkFor(s, admin, 3);
    const waiting = await Promise.all(Array.from({ length: 6 }, () => s.signUp()));
    const tries = [...waiting, ...waiting].map(person => s.call(person, 'acceptInvitation', { token }));
    await Promise.allSettled(tries);
    const viewers = await Promise.all(waiting.map(person => s.call(person, 'getViewer', {})));
    expect(viewers.filter(({ user }) => user?.isApproved)).toHaveLength(3);
    expect((await s.call(admin, 'listInvitations', {})).invitations).toMatchObject([{ uses: 3 }]);
  });

  it('60. a username that two request at once is given to one of them, and the other is told', async () => {
    const s = await site();
    const { token } = await linkFor(s, await s.admin(), 5);
    const one = { ...newcomer('ann'), email: 'one@example.com' };
    const other = { ...newcomer('Ann'), email: 'other@example.com' };
    const answers = await Promise.all([one, other].map(person => joinAs(s, { token, ...person })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('62. nobody joins after a revocation was acknowledged, and a race has one of the two results', async () => {
    const [s, admin] = await siteWithAdmin();
    for (let round = 0; round < 5; round += 1) {
      const { id, token } = await linkFor(s, admin, 10);
      const before = await countUsers(s);
      const joins = Array.from({ length: 4 }, (_, n) =>
        joinAs(s, { token, ...newcomer(`r${round}_${n}xx`) }),
      );
      await s.call(admin, 'revokeInvitation', { invitationId: id });
      const late = await joinAs(s, { token, ...newcomer(`late_${round}`) });
      const joined = (await Promise.all(joins)).filter(({ status }) => status === 200);
      expect(late.status).toBe(400);
      expect(await countUsers(s)).toBe(before + joined.length);
    }
  });

  it('62. nobody joins by an admin who has lost the role, once that is acknowledged', async () => {
    const s = await site();
    await s.admin();
    for (let round = 0; round < 5; round += 1) {
      const admin = await s.admin();
      const { token } = await linkFor(s, admin, 10);
      const racing = joinAs(s, { token, ...newcomer(`early_${round}`) });
      await setAdmin(s.deps, admin.id, false);
      expect((await joinAs(s, { token, ...newcomer(`late_${round}`) })).status).toBe(400);
      expect([200, 400]).toContain((await racing).status);
    }
  });

  it('62. an invitation that ended with the role of its maker stays ended when they are an admin again', async () => {
    const s = await site();
    await s.admin();
    const admin = await s.admin();
    const { token } = await linkFor(s, admin, 10);
    await setAdmin(s.deps, admin.id, false);
    await setAdmin(s.deps, admin.id, true);
    expect((await s.call(null, 'getInvitation', { token })).invitation).toBeNull();
    expect((await joinAs(s, { token, ...newcomer('late_one') })).status).toBe(400);
    expect((await s.call(admin, 'listInvitations', {})).invitations).toMatchObject([{ state: 'ended' }]);
  });

  it('62. an invitation is closed while its maker is no admin, also where nothing has revoked it', async () => {
    const s = await site();
    const admin = await s.admin();
    const { token } = await linkFor(s, admin, 10);
    expect((await s.call(null, 'getInvitation', { token })).invitation).not.toBeNull();
    await changeUser(s, admin.id, { is_admin: false });
    expect((await s.call(null, 'getInvitation', { token })).invitation).toBeNull();
    expect((await joinAs(s, { token, ...newcomer('late_one') })).status).toBe(400);
  });

  it('42. an invitation gives a squatter nothing: whoever proves the address replaces the pending account with it', async () => {
    const s = await openSite(await migrated(), withMail);
    const squat = { ...newcomer('squatter'), email: 'ann@example.org' };
    const squatter = await post(s, 'signUp', squat);
    expect((await s.call(squatter, 'getViewer', {})).user?.username).toBe('squatter');
    const token = await inviteByMail(s, 'ann@example.org');
    const ann = await joinAs(s, { token, username: 'ann', name: 'Ann Kay' });
    expect((await s.call(ann, 'getViewer', {})).user).toMatchObject({ username: 'ann', isApproved: true });
    expect((await s.call(squatter, 'getViewer', {})).user).toBeNull();
    const again = s.call(null, 'signIn', { email: squat.email, password: squat.password });
    expect(await refusal(again)).toBe('unauthenticated');
    await s.close();
  });

  it('42. an invitation does not replace an account that was confirmed or decided about', async () => {
    const s = await openSite(await migrated(), withMail);
    const tokens = [
      await inviteByMail(s, 'confirmed@example.com'),
      await inviteByMail(s, 'member1@example.com'),
    ];
    const confirmed = await s.signUp('confirmed');
    await changeUser(s, confirmed.id, { email_verified: true });
    const member = await s.member([], 'member1');
    for (const token of tokens) {
      const attempt = s.call(null, 'joinByInvitation', { token, username: 'thief', name: 'The Thief' });
      expect(await refusal(attempt)).toBe('already-exists');
    }
    // A link that anybody may pass on says nothing about the address, of which the owner may still prove it.
    const waiting = await s.signUp('waiting');
    const { token } = await linkFor(s, await s.admin(), 1);
    const attempt = s.call(null, 'joinByInvitation', { ...newcomer('waiting'), token, username: 'thief' });
    expect(await refusal(attempt)).toBe('already-exists');
    expect((await s.call(waiting, 'getViewer', {})).user?.username).toBe('waiting');
    expect((await s.call(member, 'getViewer', {})).user?.username).toBe('member1');
    expect((await s.call(confirmed, 'getViewer', {})).user?.username).toBe('confirmed');
    await s.close();
  });

  it('37. an invitation ends the session that the browser had, and keeps the new one from every script', async () => {
    const s = await site();
    const { token } = await linkFor(s, await s.admin(), 1);
    const before = await s.member();
    const browser = { cookie: before.cookie, origin: s.config.publicUrl };
    const joined = await joinAs(s, { token, ...newcomer('ann') }, browser);
    expect(joined.status).toBe(200);
    expect(joined.headers.get('set-auth-token')).toBeNull();
    expect(joined.headers.getSetCookie().join()).toContain('HttpOnly');
    expect((await s.call(before, 'getViewer', {})).user).toBeNull();
  });

  it('34. the site refuses to join from another site, with a form or a script', async () => {
    const s = await site();
    const { token } = await linkFor(s, await s.admin(), 1);
    const form = new URLSearchParams(newcomer('ann')).toString();
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, {}]) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const init = {
        method: 'POST',
        redirect: 'manual',
        headers: { ...type, ...headers },
        body: form,
      } as const;
      expect((await s.request(`/invite?token=${token}`, null, init)).status).toBe(403);
    }
    const headers = { origin: 'https://evil.example', 'content-type': 'application/json' };
    const body = JSON.stringify({ data: { token, ...newcomer('ann') } });
    expect((await s.request('/api/joinByInvitation', null, { method: 'POST', headers, body })).status).toBe(
      403,
    );
    expect((await s.call(null, 'getInvitation', { token })).invitation).not.toBeNull();
  });

  it('1. an invitation shows the holder of a link nothing that visitors do not see, and opening the link does not use it up', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('kept secretly', ['familytag']));
    const { token } = await linkFor(s, admin, 1, ['familytag']);
    for (let opened = 0; opened < 3; opened += 1) {
      const response = await s.request(`/invite?token=${token}`);
      const page = await response.text();
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(response.headers.get('referrer-policy')).toBe('same-origin');
      expect(page).toContain('Person 1 invites you');
      for (const word of ['familytag', 'kept secretly', admin.username]) expect(page).not.toContain(word);
    }
    const answer = JSON.stringify(await s.call(null, 'getInvitation', { token }));
    expect(answer).not.toContain('familytag');
    expect((await joinAs(s, { token, ...newcomer('ann') })).status).toBe(200);
  });

  it('40. the site limits guessing links, and stores none of them in the database', async () => {
    const s = await site();
    const { token } = await linkFor(s, await s.admin(), 100);
    const rows = await s.deps.db.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    const tryOne = (index: number) =>
      s.request('/api/joinByInvitation', null, {
        method: 'POST',
        peer: '203.0.113.7',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data: { token: `guess${index}`, ...newcomer(`guess_${index}`) } }),
      });
    const statuses: number[] = [];
    for (let index = 0; index < 52; index += 1) statuses.push((await tryOne(index)).status);
    expect(statuses.slice(0, 50)).toEqual(Array(50).fill(400));
    expect(statuses.slice(50)).toEqual([429, 429]);
  });
});
