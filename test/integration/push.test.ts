import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { startPushService } from '../support/push-service.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

/** A friend whose browser is notified. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  const [{ deps: mailing }, service] = await Promise.all([withSmtp(s), startPushService()]);
  const deps = { ...mailing, isAllowed: () => true };
  const deliver = () => deliverDue(deps);
  /** Turns notifications on in a browser of somebody. */
  const turnOn = async (as: Person, path: string) => {
    const browser = service.browser(path);
    const { publicKey } = await s.call(as, 'startPush', { ...browser, endpoint: 'https://push.invalid/1' });
    // The contract takes HTTPS alone, for which the service has no certificate.
    await s.deps.db
      .updateTable('push_subscriptions')
      .set({ endpoint: browser.endpoint })
      .where('endpoint', '=', 'https://push.invalid/1')
      .execute();
    return async () => {
      await deliver();
      return browser.told(publicKey);
    };
  };
  return { admin, lucy, service, deps, deliver, turnOn };
}

const newPost = (postId: string) => ({
  title: 'My blog',
  body: 'There is a new post',
  url: `/post/${postId}`,
  tag: postId,
});

describeEngines('notifications', ({ site }) => {
  it('a browser is told of new posts and answers that its reader may read, without a word of them', async () => {
    const s = await site();
    const { admin, lucy, turnOn } = await scene(s);
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
    const { admin, lucy, turnOn } = await scene(s);
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
    const { admin, lucy, turnOn, service, deliver } = await scene(s);
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
    const { admin, lucy, turnOn, service, deliver } = await scene(s);
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

  it('no inner address is asked as a push service', async () => {
    const s = await site();
    const { admin, lucy, turnOn, service, deps } = await scene(s);
    await turnOn(lucy, '/lucy');
    await publish(s, admin, essay());
    const { isAllowed: _, ...guarded } = deps;
    await deliverDue(guarded);
    expect(service.waiting()).toBe(0);
    const keys = service.browser('/x').keys;
    for (const endpoint of ['http://push.example/1', 'https://push.example:22/1', 'file:///etc/passwd'])
      expect(await refusal(s.call(lucy, 'startPush', { endpoint, keys }))).toBe('invalid-argument');
  });
});
