import { expect, it } from 'vitest';
import { readQueues } from '../../server/system/queues.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { pushScene } from '../support/push-scene.ts';

describeEngines(({ site }) => {
  it('a few notifications of a browser are tried again, and no more keep those of others waiting', async () => {
    const s = await site();
    const { admin, lucy, turnOn, again, service, deliver } = await pushScene(s);
    const [told, slow] = [await turnOn(lucy, '/1'), await turnOn(await again(lucy), '/2')];
    service.answer('/2', 503);
    for (const post of Array.from({ length: 12 }, () => essay())) {
      await publish(s, admin, post);
      await deliver();
    }
    expect(await told()).toHaveLength(12);
    await slow();
    service.answer('/2', 201);
    s.wait(60 * 60_000);
    expect(await slow()).toHaveLength(5);
    await publish(s, admin, essay());
    expect(await slow()).toHaveLength(1);
  });

  it('a browser is notified sixty times an hour', async () => {
    const s = await site();
    const { admin, lucy, turnOn } = await pushScene(s);
    const told = await turnOn(lucy, '/1');
    await publish(s, admin, ...Array.from({ length: 61 }, () => essay()));
    expect(await told()).toHaveLength(60);
    s.wait(60 * 60_000);
    await publish(s, admin, essay());
    expect(await told()).toHaveLength(1);
  });

  it('a service that is slow holds up no notification that is sent with its own', async () => {
    const s = await site();
    const { admin, lucy, turnOn, again, service, deliver } = await pushScene(s);
    const slow = [];
    for (const path of ['/1', '/2', '/3', '/4', '/5']) {
      slow.push(await turnOn(await again(lucy), path));
      service.hold(path);
    }
    const mina = await s.member(['friends'], 'mina');
    const told = await turnOn(mina, '/mina');
    await publish(s, admin, essay());
    const delivery = deliver();
    await expect.poll(service.waiting).toBe(6);
    service.release();
    await delivery;
    expect(await told()).toHaveLength(1);
    for (const toldSlow of slow) expect(await toldSlow()).toHaveLength(1);
  });

  it('the page Mail counts notifications as no mails, and names those that fail', async () => {
    const s = await site();
    const { admin, lucy, turnOn, service } = await pushScene(s);
    const told = await turnOn(lucy, '/1');
    service.answer('/1', 503);
    await publish(s, admin, essay());
    await told();
    const state = await s.call(admin, 'getMailState', {});
    expect(state).toMatchObject({ queued: 0, oldestQueuedAt: null, problems: [{ kind: 'push' }] });
    expect((await readQueues(s.deps.db)).mails).toEqual({ waiting: 0, since: null });
    s.wait(60 * 60_000);
    service.answer('/1', 201);
    await told();
    expect((await s.call(admin, 'getMailState', {})).sentLastDay).toBe(0);
  });
});
