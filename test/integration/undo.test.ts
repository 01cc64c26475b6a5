import { expect, it } from 'vitest';
import { sweepUndoable } from '../../server/accounts/members/undo.ts';
import { hourMs } from '../../server/base/clock.ts';
import { claim } from '../../server/mail/queue.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { subjectOf, withSmtp } from '../support/mailing-site.ts';
import { changeUser } from '../support/rows.ts';
import { openSite, refusal } from '../support/site.ts';

describeEngines(({ siteWithAdmin, migrated }) => {
  it('a user whose approval is undone is pending again, with the tags and role of before', async () => {
    const [s, admin] = await siteWithAdmin();
    const [id = ''] = await publish(s, admin, shortPost('for friends', ['friends']));
    const mina = await s.signUp('mina');
    await changeUser(s, mina.id, { introduction: 'Your cousin.' });
    const waiting = (await s.call(admin, 'getUsers', { list: 'pending' })).users[0];
    expect(waiting?.introduction).toBe('Your cousin.');
    const { user } = await s.call(admin, 'approveUser', { userId: mina.id, tags: ['friends'] });
    // What they wrote is forgotten with the decision, but for taking it back.
    expect(user.introduction).toBeNull();
    await s.call(mina, 'getPost', { postId: id });
    const { token } = await s.makeToken(mina);
    const { pathname, search } = new URL((await s.call(mina, 'makePersonalFeed', {})).url);
    const feed = pathname + search;
    expect((await s.request(feed)).status).toBe(200);
    const undone = await s.call(admin, 'undoDecision', { userId: mina.id, version: user.version });
    expect(undone.user).toEqual(waiting);
    expect(await refusal(s.call(mina, 'getPost', { postId: id }))).toBe('permission-denied');
    // They are still signed in; what being a member has made possible is over.
    expect((await s.call(mina, 'getViewer', {})).user?.pendingApproval).toBe(true);
    const byToken = await s.request('/api/getViewer', null, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"data": {}}',
    });
    expect(byToken.status).toBe(401);
    expect((await s.request(feed)).status).toBe(404);
    expect(await refusal(s.call(admin, 'undoDecision', { userId: mina.id }))).toBe('failed-precondition');
    const { entries } = await s.call(admin, 'getHistory', { kind: 'decision-undone' });
    expect(entries).toMatchObject([{ user: { name: 'mina' }, before: 'approved', after: 'pending' }]);
    // A later approval gives nothing back but the rights.
    await s.call(admin, 'approveUser', { userId: mina.id });
    expect((await s.request(feed)).status).toBe(404);
  });

  it('the mail about an approval that is undone is not sent, or the admin learns that it was', async () => {
    const s = await openSite(await migrated(), { SMTP_URL: 'smtp://127.0.0.1:1' });
    const admin = await s.admin();
    const mina = await s.signUp('mina');
    let hangsUp = false;
    const { smtp, deps, deliver } = await withSmtp(s, {
      onMail: () => (hangsUp ? smtp.hangUp() : undefined),
    });
    const subjects = async () => (await deliver()).map(subjectOf);
    const undo = async () => (await s.call(admin, 'undoDecision', { userId: mina.id })).wasMailed;
    await s.call(admin, 'approveUser', { userId: mina.id });
    s.wait(1_000);
    expect(await undo()).toBe(false);
    await s.call(admin, 'approveUser', { userId: mina.id });
    expect(await subjects()).toEqual(['Your account at Coterie was approved']);
    s.wait(1_000);
    expect(await undo()).toBe(true);
    // No approval is undone by taking back a denial.
    await s.call(admin, 'denyUser', { userId: mina.id });
    expect(await undo()).toBe(false);
    expect(await subjects()).toEqual([]);
    // A message without an answer may have arrived.
    hangsUp = true;
    await s.call(admin, 'approveUser', { userId: mina.id });
    await deliver();
    s.wait(1_000);
    expect(await undo()).toBe(true);
    hangsUp = false;
    s.wait(hourMs);
    await s.call(admin, 'approveUser', { userId: mina.id });
    // A worker that has died sends it no more, one that lives is sending it.
    await claim(deps, { lease: 'of a dead worker', lane: 'mail', most: 1 });
    s.wait(60_000);
    expect(await undo()).toBe(false);
    await s.call(admin, 'approveUser', { userId: mina.id });
    await claim(deps, { lease: 'of another worker', lane: 'mail', most: 1 });
    expect(await undo()).toBe(true);
  });

  it('a denial and a later approval are undone, and the denial is remembered', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.signUp('mina');
    const denials = () => s.deps.db.selectFrom('denials').selectAll().execute();
    await s.call(admin, 'denyUser', { userId: mina.id });
    const remembered = await denials();
    expect(remembered).toHaveLength(1);
    await s.call(admin, 'approveUser', { userId: mina.id });
    expect(await denials()).toEqual([]);
    expect((await s.call(admin, 'undoDecision', { userId: mina.id })).user.status).toBe('denied');
    expect(await denials()).toEqual(remembered);
    await s.call(admin, 'approveUser', { userId: mina.id });
    await s.call(admin, 'denyUser', { userId: mina.id });
    expect((await s.call(admin, 'undoDecision', { userId: mina.id })).user.status).toBe('approved');
    expect(await denials()).toEqual([]);
  });

  it('nothing is undone after another decision, after a day, or for an admin', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'addTag', { name: 'friends' });
    const [one, two, three] = [await s.signUp(), await s.signUp(), await s.signUp()];
    for (const { id: userId } of [one, two, three]) await s.call(admin, 'approveUser', { userId });
    await s.call(admin, 'setApprovedTags', { userId: one.id, tags: ['friends'] });
    await s.call(admin, 'setAdmin', { userId: two.id, isAdmin: true });
    s.wait(24 * 60 * 60_000 + 1);
    for (const { id: userId } of [one, two, three]) {
      expect(await refusal(s.call(admin, 'undoDecision', { userId }))).toBe('failed-precondition');
    }
    await sweepUndoable(s.deps);
    expect(await s.deps.db.selectFrom('undoable_decisions').selectAll().execute()).toEqual([]);
  });
});
