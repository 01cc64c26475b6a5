import { expect, it } from 'vitest';
import { moment } from '../../contract/date.ts';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { expandAnnouncement } from '../../server/mail/announce.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { deliverPushes, deliverWebhooks } from '../../server/mail/deliver-lanes.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { pushScene } from '../support/push-scene.ts';
import { refusal } from '../support/site.ts';

const newPost = (postId: string) => ({
  title: 'My blog',
  body: 'There is a new post',
  url: `/post/${postId}`,
  tag: postId,
});

describeEngines(({ site }) => {
  it('a browser is told of new posts and answers that its reader may read, without a word of them', async () => {
    const s = await site();
    const { admin, lucy, turnOn } = await pushScene(s);
    const title = (await s.call(null, 'getSettings', {})).title;
    const told = await turnOn(lucy, '/lucy');
    expect((await s.call(lucy, 'getPush', {})).isOn).toBe(true);
    const [, friends = ''] = await publish(
      s,
      admin,
      essay({ tags: ['family'] }),
      essay({ tags: ['friends'] }),
    );
    expect(await told()).toEqual([{ ...newPost(friends), title }]);
    expect(await told()).toEqual([]);
    const { comment } = await s.call(lucy, 'addComment', { postId: friends, content: 'Why?' });
    expect(await told()).toEqual([]);
    const answer = { postId: friends, content: 'Rain.', parentId: comment.id };
    const { comment: answered } = await s.call(admin, 'addComment', answer);
    expect(await told()).toEqual([
      { title, body: 'There is an answer', url: `/post/${friends}#comments`, tag: answered.id },
    ]);
    await s.call(lucy, 'stopPush', {});
    await publish(s, admin, essay());
    expect(await told()).toEqual([]);
  });

  it('the right to a post is asked when a browser is told of it', async () => {
    const s = await site();
    const { admin, lucy, turnOn } = await pushScene(s);
    const told = await turnOn(lucy, '/lucy');
    await publish(s, admin, essay({ tags: ['friends'] }));
    await s.call(admin, 'setApprovedTags', { userId: lucy.id, tags: [] });
    expect(await told()).toEqual([]);
    const [postId = ''] = await publish(s, admin, essay());
    const { comment } = await s.call(lucy, 'addComment', { postId, content: 'Why?' });
    expect(await told()).toHaveLength(1);
    const parent = { postId, parentId: comment.id };
    const { comment: answer } = await s.call(admin, 'addComment', { ...parent, content: 'Rain.' });
    await s.call(admin, 'deleteComment', { commentId: answer.id });
    expect(await told()).toEqual([]);
  });

  it('a browser is told nothing after its session has ended, or its reader was denied', async () => {
    const s = await site();
    const { admin, lucy, turnOn, service, deliver } = await pushScene(s);
    const mina = await s.member(['friends'], 'mina');
    const [lucyTold, minaTold] = [await turnOn(lucy, '/lucy'), await turnOn(mina, '/mina')];
    await publish(s, admin, essay());
    await s.call(lucy, 'signOut', {});
    await denyUser(s.deps, mina.id);
    expect(await lucyTold()).toEqual([]);
    expect(await minaTold()).toEqual([]);
    await deliver();
    expect(service.waiting()).toBe(0);
    expect(await s.deps.db.selectFrom('push_subscriptions').selectAll().execute()).toEqual([]);
    expect(await refusal(turnOn(await s.signUp(), '/waiting'))).toBe('permission-denied');
  });

  it('a subscription that has ended is removed, and a service that is busy is asked again', async () => {
    const s = await site();
    const { admin, lucy, turnOn, service, deliver } = await pushScene(s);
    const mina = await s.member([], 'mina');
    const [lucyTold, minaTold] = [await turnOn(lucy, '/lucy'), await turnOn(mina, '/mina')];
    service.answer('/lucy', 410);
    service.answer('/mina', 503);
    const [postId = ''] = await publish(s, admin, essay());
    await deliver();
    expect(await lucyTold()).toHaveLength(1);
    expect(await minaTold()).toHaveLength(1);
    service.answer('/mina', 201);
    s.wait(10 * 60_000);
    expect(await minaTold()).toMatchObject([{ tag: postId }]);
    expect((await s.call(lucy, 'getPush', {})).isOn).toBe(false);
    s.wait(10 * 60_000);
    expect(await minaTold()).toEqual([]);
  });

  it('a browser whose session ends after a notification was queued is told nothing', async () => {
    const s = await site();
    const { admin, lucy, turnOn, again, service, deps, deliver } = await pushScene(s);
    const mina = await s.member([], 'mina');
    const other = await again(lucy);
    for (const [path, as] of Object.entries({ '/1': lucy, '/2': other, '/3': mina })) await turnOn(as, path);
    await publish(s, admin, essay());
    while (await expandAnnouncement(deps));
    await s.call(lucy, 'signOut', {});
    await s.call(other, 'signOutEverywhere', {});
    const ended = moment(s.deps.clock() - 1);
    await s.deps.db
      .updateTable('sessions')
      .set({ expires_at: ended })
      .where('user_id', '=', mina.id)
      .execute();
    await deliver();
    expect(service.waiting()).toBe(0);
    const rows = s.deps.db.selectFrom('mails').select('state').where('kind', '=', 'push');
    expect(await rows.execute()).toEqual([1, 2, 3].map(() => ({ state: 'dropped' })));
  });

  it('a browser that was told hears nothing again because another could not be', async () => {
    const s = await site();
    const { admin, lucy, turnOn, again, service, deliver } = await pushScene(s);
    const [told, later] = [await turnOn(lucy, '/1'), await turnOn(await again(lucy), '/2')];
    service.answer('/2', 503);
    const [postId] = await publish(s, admin, essay());
    expect(await told()).toMatchObject([{ tag: postId }]);
    for (const _ of [1, 2]) {
      s.wait(10 * 60_000);
      await deliver();
    }
    expect(await told()).toEqual([]);
    service.answer('/2', 201);
    s.wait(60 * 60_000);
    expect((await later()).length).toBeGreaterThan(1);
    expect(await later()).toEqual([]);
  });

  it.each([400, 401, 403, 413])('a subscription that its service refuses with %i is ended', async status => {
    const s = await site();
    const { admin, lucy, turnOn, service } = await pushScene(s);
    const told = await turnOn(lucy, '/1');
    service.answer('/1', status);
    await publish(s, admin, essay());
    expect(await told()).toHaveLength(1);
    expect((await s.call(lucy, 'getPush', {})).isOn).toBe(false);
    s.wait(60 * 60_000);
    expect(await told()).toEqual([]);
    expect((await s.call(admin, 'getMailState', {})).problems).toMatchObject([
      { kind: 'push', error: `The push service answered ${status}.` },
    ]);
  });

  it('mails and notifications do not wait for each other', async () => {
    const s = await site();
    const { admin, lucy, turnOn, smtp, service, deps, deliver } = await pushScene(s);
    await s.call(lucy, 'setSubscription', { subscribed: true });
    const told = await turnOn(lucy, '/1');
    await publish(s, admin, essay());
    await deliverDue(deps);
    expect(smtp.mails).toHaveLength(1);
    expect(service.waiting()).toBe(0);
    await smtp.stop();
    const [second] = await publish(s, admin, essay());
    expect((await deliverDue(deps)).isServerDown).toBe(true);
    expect(await told()).toContainEqual(expect.objectContaining({ tag: second }));
    await deliver();
  });

  it('notifications do not wait for webhooks', async () => {
    const s = await site();
    const { admin, lucy, turnOn } = await pushScene(s);
    const told = await turnOn(lucy, '/1');
    const url = 'https://chat.invalid/';
    await s.call(admin, 'addWebhook', { name: 'Chat', format: 'json', events: ['post'], url });
    const [tag] = await publish(s, admin, essay());
    const deliveries = async () => (await s.call(admin, 'getWebhooks', {})).webhooks[0]?.deliveries;
    expect(await told()).toMatchObject([{ tag }]);
    expect(await deliveries()).toMatchObject([{ state: 'queued', error: null }]);
    await deliverWebhooks(s.deps);
    expect(await deliveries()).toMatchObject([{ error: expect.stringContaining('cannot be asked') }]);
  });

  it('a post is notified once, whoever it is mailed to later, and not to its author', async () => {
    const s = await site();
    const { admin, lucy, turnOn, deliver } = await pushScene(s);
    const mina = await s.member(['family'], 'mina');
    const [adminTold, minaTold] = [await turnOn(admin, '/admin'), await turnOn(mina, '/mina')];
    const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    await deliver();
    const lucyTold = await turnOn(lucy, '/lucy');
    s.wait(1_000);
    await s.call(admin, 'updatePost', { ...essay(), postId, tellsNewReaders: true });
    for (const told of [adminTold, minaTold, lucyTold]) expect(await told()).toEqual([]);
    const rows = s.deps.db.selectFrom('mails').select('state').where('kind', '=', 'push');
    expect(await rows.execute()).toEqual([{ state: 'dropped' }]);
  });

  it('a post that opens to more before anybody was notified is notified all the same', async () => {
    const s = await site();
    const { admin, lucy, turnOn } = await pushScene(s);
    const told = await turnOn(lucy, '/lucy');
    const [postId = ''] = await publish(s, admin, essay({ tags: ['family'] }));
    await s.call(admin, 'updatePost', { ...essay(), postId, tellsNewReaders: true });
    expect(await told()).toContainEqual(expect.objectContaining({ tag: postId }));
  });

  it('a post under the date of its photos is notified as any new one', async () => {
    const s = await site();
    const { admin, lucy, turnOn } = await pushScene(s);
    const told = await turnOn(lucy, '/lucy');
    const [tag = ''] = await publish(s, admin, { ...essay(), date: '2020-10-12T18:04:33' });
    expect(await told()).toContainEqual(expect.objectContaining({ tag }));
  });

  it('an account has at most ten notified browsers, the newest', async () => {
    const s = await site();
    const { lucy, turnOn, again } = await pushScene(s);
    await turnOn(lucy, '/0');
    for (let number = 1; number <= 10; number += 1) {
      s.wait(1_000);
      await turnOn(await again(lucy), `/${number}`);
    }
    expect((await s.call(lucy, 'getPush', {})).isOn).toBe(false);
    const rows = s.deps.db.selectFrom('push_subscriptions').select('session_id');
    expect(await rows.execute()).toHaveLength(10);
  });

  it('no inner address is asked as a push service', async () => {
    const s = await site();
    const { admin, lucy, turnOn, service, deps } = await pushScene(s);
    const told = await turnOn(lucy, '/lucy');
    const [postId] = await publish(s, admin, essay());
    const { isAllowed: _, ...guarded } = deps;
    await deliverPushes(guarded);
    expect(service.waiting()).toBe(0);
    s.wait(10 * 60_000);
    // It was the address alone that kept it from being told.
    expect(await told()).toMatchObject([{ tag: postId }]);
    const keys = service.browser('/x').keys;
    for (const endpoint of [
      'http://push.example/1',
      'https://push.example:22/1',
      'https://user@push.example/1',
      'file:///etc/passwd',
    ])
      expect(await refusal(s.call(lucy, 'startPush', { endpoint, keys }))).toBe('invalid-argument');
    const damaged = { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') };
    const endpoint = 'https://push.example/1';
    expect(await refusal(s.call(lucy, 'startPush', { endpoint, keys: damaged }))).toBe('invalid-argument');
  });
});
