import { expect, it } from 'vitest';
import { lastTimeOfDay } from '../../server/base/calendar.ts';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { queueDigests } from '../../server/mail/wishes/digests.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Site } from '../support/site.ts';

/** A site at noon, and two subscribers of a daily digest, of whom one reads posts for friends. */
async function subscribers(s: Site) {
  s.wait(lastTimeOfDay(s.deps.clock(), '12:00', 'UTC') + dayMs - s.deps.clock());
  const admin = await s.admin();
  const [lucy, mina] = [await s.member(['friends'], 'lucy'), await s.member([], 'mina')];
  for (const person of [lucy, mina])
    await s.call(person, 'setSubscription', { subscribed: true, rhythm: 'daily', hour: 18 });
  // A post that is announced in the millisecond of the subscription counts as before it.
  s.wait(1);
  const { deps, deliver } = await withSmtp(s);
  const run = async () => {
    await queueDigests(deps);
    return await deliver();
  };
  return { admin, lucy, mina, run };
}

/** After its hour a digest waits for announcements that are being committed. */
const settleMs = 2 * 60_000;

const to = (mails: readonly { to: string }[]) => mails.map(mail => mail.to).sort();

describeEngines(({ site }) => {
  it('a digest comes at its hour with what its reader may read then, once, and not without a post', async () => {
    const s = await site();
    const { admin, lucy, run } = await subscribers(s);
    await publish(s, admin, essay({ title: 'On rivers' }), essay({ title: 'On us', tags: ['friends'] }));
    const [closed = ''] = await publish(s, admin, essay({ title: 'On me' }));
    expect(await run()).toEqual([]);
    await s.call(admin, 'updatePost', { ...essay({ title: 'On me', tags: ['family'] }), postId: closed });
    s.wait(6 * hourMs + settleMs);
    const mails = await run();
    expect(to(mails)).toEqual(['lucy@example.com', 'mina@example.com']);
    const [hers, others] = mails.toSorted((a, b) => (a.to < b.to ? -1 : 1));
    expect(hers?.text).toContain('2 new posts');
    expect(hers?.text).toContain('On us');
    expect(hers?.text).toContain('only for those who may read “friends”');
    expect(others?.text).toContain('A new post');
    expect(others?.text).not.toContain('On us');
    for (const mail of mails) {
      expect(mail.text).not.toContain('On me');
      expect(mail.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    }
    expect(await run()).toEqual([]);
    s.wait(dayMs);
    expect(await run()).toEqual([]);
    await publish(s, admin, essay({ title: 'Later', tags: ['friends'] }));
    s.wait(dayMs);
    expect(to(await run())).toEqual(['lucy@example.com']);
    expect(await s.call(lucy, 'getSubscription', {})).toMatchObject({ rhythm: 'daily', hour: 18 });
  });

  it('a digest holds no post that came at once before, and ends with the subscription and a denial', async () => {
    const s = await site();
    const { admin, lucy, mina, run } = await subscribers(s);
    await s.call(lucy, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
    await publish(s, admin, essay({ title: 'At once' }));
    expect(to(await run())).toEqual(['lucy@example.com']);
    s.wait(1);
    await s.call(lucy, 'setSubscription', { subscribed: true, rhythm: 'weekly' });
    await s.call(mina, 'setSubscription', { subscribed: false });
    s.wait(8 * dayMs);
    expect(await run()).toEqual([]);
    await publish(s, admin, essay({ title: 'Later' }));
    s.wait(8 * dayMs);
    await s.call(admin, 'denyUser', { userId: lucy.id });
    expect(await run()).toEqual([]);
  });

  it('a digest holds a post whose announcement was committed only after its hour', async () => {
    const s = await site();
    const { admin, run } = await subscribers(s);
    const hour = s.deps.clock() + 6 * hourMs - 1;
    s.wait(6 * hourMs);
    expect(await run()).toEqual([]);
    await publish(s, admin, essay());
    await s.deps.db.updateTable('announcements').set({ created_at: hour }).execute();
    s.wait(settleMs);
    expect(to(await run())).toEqual(['lucy@example.com', 'mina@example.com']);
  });

  it('what waits for a digest stays when it is wanted less often, and comes at once otherwise', async () => {
    const s = await site();
    const { admin, lucy, mina, run } = await subscribers(s);
    await publish(s, admin, essay({ title: 'Before' }));
    s.wait(1);
    await s.call(lucy, 'setSubscription', { subscribed: true, rhythm: 'weekly' });
    await s.call(mina, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
    const [mail, ...others] = await run();
    expect([mail?.to, others]).toEqual(['mina@example.com', []]);
    expect(mail?.text).toContain('Before');
    s.wait(8 * dayMs);
    const [hers, ...more] = await run();
    expect([hers?.to, more]).toEqual(['lucy@example.com', []]);
    expect(hers?.text).toContain('Before');
  });

  it('a digest names thirty posts and says that there are more', async () => {
    const s = await site();
    const { admin, mina, run } = await subscribers(s);
    await s.call(mina, 'setSubscription', { subscribed: false });
    await publish(s, admin, ...Array.from({ length: 31 }, (_, i) => essay({ title: `Number ${i}.` })));
    s.wait(6 * hourMs + settleMs);
    const [mail] = await run();
    expect(mail?.text).toContain('More than 30 new posts');
    expect(mail?.text).toContain('And more on the site');
    expect(mail?.text.match(/Number \d+\./g)).toHaveLength(30);
  });

  it('a post comes whole by mail for those who want that, and its beginning for others', async () => {
    const s = await site();
    const { admin, lucy, mina, run } = await subscribers(s);
    for (const person of [lucy, mina])
      await s.call(person, 'setSubscription', {
        subscribed: true,
        rhythm: 'at-once',
        isWhole: person === lucy,
      });
    const long = essay({ content: `${'Words and words. '.repeat(100)}\n\nThe end.` });
    const ofMails = async () =>
      (await run()).map(({ to: address, text }) => [address, text.includes('The end.')] as const).sort();
    await publish(s, admin, long);
    const ends = await ofMails();
    expect(ends).toEqual([
      ['lucy@example.com', true],
      ['mina@example.com', false],
    ]);
    const [postId = ''] = await publish(s, admin, { ...long, mailsBeginning: true });
    expect((await ofMails()).map(([, isEnd]) => isEnd)).toEqual([false, false]);
    // A program that does not know it leaves it as it is.
    await s.call(admin, 'updatePost', { ...long, postId });
    expect((await s.call(admin, 'getPost', { postId })).post.mailsBeginning).toBe(true);
    expect((await s.call(lucy, 'getPost', { postId })).post.mailsBeginning).toBeUndefined();
  });
});
