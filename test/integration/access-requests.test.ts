import { expect, it } from 'vitest';
import { moment } from '../../contract/date.ts';
import { hourMs } from '../../server/base/clock.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Site } from '../support/site.ts';

/** Two posts for friends of the family, which lucy may not read: she has one of the two tags. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  await s.deps.db.updateTable('users').set({ email_verified: true }).execute();
  const [postId = ''] = await publish(
    s,
    admin,
    essay({ title: 'On us', tags: ['friends', 'family'] }),
    essay({ title: 'On them', tags: ['family'] }),
  );
  const mailing = await withSmtp(s);
  const deliver = async () => {
    s.wait(2 * hourMs);
    await queueAdminDigests(mailing.deps);
    return await mailing.deliver();
  };
  const requests = async () => (await s.call(admin, 'listAccessRequests', {})).requests;
  return { admin, lucy, postId, deliver, requests };
}

describeEngines(({ site }) => {
  it('a request for a post shows admins which tags would open it, and one that is granted opens it', async () => {
    const s = await site();
    const { admin, lucy, postId, deliver, requests } = await scene(s);
    expect(await s.call(lucy, 'askForPost', { postId, word: 'Please!' })).toEqual({});
    const asked = async () => (await s.call(lucy, 'getOwnRequest', { postId })).askedAt;
    expect(await asked()).toBe(moment(s.deps.clock()));
    const [request, ...others] = await requests();
    expect([request, others]).toMatchObject([
      {
        postTitle: 'On us',
        username: 'lucy',
        name: 'Person 2',
        word: 'Please!',
        needed: ['family'],
        opens: 2,
      },
      [],
    ]);
    expect(await s.call(admin, 'listAccessRequests', { most: 0 })).toEqual({ requests: [], total: 1 });
    const [told] = await deliver();
    expect(told?.to).toBe(`${admin.username}@example.com`);
    expect(told?.text).toContain(
      'lucy asks for “On us”: “Please!”. They need the tag “family”, which would also open 1 other post to them.',
    );
    expect(await deliver()).toEqual([]);
    const answer = { postId, userId: lucy.id, isGranted: true, tags: request?.needed ?? [] };
    await s.call(admin, 'answerAccessRequest', answer);
    expect((await s.call(lucy, 'getPost', { postId })).post.title).toBe('On us');
    expect(await asked()).toBeNull();
    const [mail] = await deliver();
    expect([mail?.to, mail?.text]).toEqual([
      'lucy@example.com',
      expect.stringContaining('You can now read On us'),
    ]);
    expect(mail?.text).toMatch(/This post is only for those who may read .*“friends”/);
    expect(await s.call(admin, 'listAccessRequests', {})).toEqual({ requests: [], total: 0 });
    await expect(s.call(admin, 'answerAccessRequest', answer)).rejects.toThrow('answered already');
  });

  it('a member withdraws their own request, and no other', async () => {
    const s = await site();
    const { lucy, postId, requests } = await scene(s);
    const kim = await s.member([], 'kim');
    for (const member of [lucy, kim]) await s.call(member, 'askForPost', { postId, word: '' });
    for (let times = 0; times < 2; times += 1)
      expect(await s.call(kim, 'withdrawRequest', { postId })).toEqual({});
    expect((await s.call(kim, 'getOwnRequest', { postId })).askedAt).toBeNull();
    expect(await requests()).toMatchObject([{ username: 'lucy' }]);
  });

  it('a request for a draft, a missing or an open post is not kept', async () => {
    const s = await site();
    const { admin, lucy, requests, deliver } = await scene(s);
    const draft = (await s.call(admin, 'createPost', { ...essay(), isDraft: true })).post.id;
    const [open = ''] = await publish(s, admin, essay());
    for (const postId of [draft, open, 'nothing', 'AAAAAAAAAAAAAAAA'])
      expect(await s.call(lucy, 'askForPost', { postId, word: 'Please!' })).toEqual({});
    expect(await s.deps.db.selectFrom('access_requests').selectAll().execute()).toEqual([]);
    expect([await requests(), await deliver()]).toEqual([[], []]);
  });

  it('granting a request gives only the tags that the admin saw', async () => {
    const s = await site();
    const { admin, lucy, postId, requests } = await scene(s);
    await s.call(lucy, 'askForPost', { postId, word: '' });
    const [request] = await requests();
    const answer = { postId, userId: lucy.id, isGranted: true, tags: request?.needed ?? [] };
    await s.call(admin, 'updatePost', { ...essay({ tags: ['family', 'secret'] }), postId });
    await expect(s.call(admin, 'answerAccessRequest', answer)).rejects.toThrow('other tags');
    await s.call(admin, 'denyUser', { userId: lucy.id });
    await expect(s.call(admin, 'answerAccessRequest', answer)).rejects.toThrow('answered already');
    expect(await requests()).toEqual([]);
  });

  it('granting a request gives no other tag that has the name of the one that the admin saw', async () => {
    const s = await site();
    const { admin, lucy, postId, requests } = await scene(s);
    await s.call(lucy, 'askForPost', { postId, word: '' });
    const [request] = await requests();
    const seen = { tags: request?.needed ?? [], tagIds: request?.neededIds ?? [] };
    const answer = { postId, userId: lucy.id, isGranted: true, ...seen };
    const family = seen.tagIds[0] ?? '';
    await s.call(admin, 'renameTag', { tagId: family, name: 'relatives' });
    await s.call(admin, 'updatePost', { ...essay({ tags: ['friends', 'family'] }), postId });
    expect((await requests())[0]?.needed).toEqual(seen.tags);
    await expect(s.call(admin, 'answerAccessRequest', answer)).rejects.toThrow('other tags');
  });

  it('a declined request is removed without a mail', async () => {
    const s = await site();
    const { admin, lucy, postId, requests, deliver } = await scene(s);
    await s.call(lucy, 'askForPost', { postId, word: '' });
    await s.call(admin, 'answerAccessRequest', { postId, userId: lucy.id, isGranted: false, tags: [] });
    expect([await requests(), await deliver()]).toEqual([[], []]);
    await expect(s.call(lucy, 'getPost', { postId })).rejects.toThrow('not shared with you');
  });
});
