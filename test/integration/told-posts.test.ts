import { expect, it } from 'vitest';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { sweepMails } from '../../server/mail/digest.ts';
import { queueDigests } from '../../server/mail/wishes/digests.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { renewSessions, type Site } from '../support/site.ts';

/** A post for friends, of whom lucy is one; mina is not, and jonathan gets a digest. */
async function scene(s: Site) {
  const admin = await s.admin();
  const [lucy, mina, jonathan] = [
    await s.member(['friends'], 'lucy'),
    await s.member(['family'], 'mina'),
    await s.member([], 'jonathan'),
  ];
  for (const person of [lucy, mina]) await s.call(person, 'setSubscription', { subscribed: true });
  await s.call(jonathan, 'setSubscription', { subscribed: true, rhythm: 'daily' });
  const { smtp, deps } = await withSmtp(s);
  /** Who gets a mail by now. */
  const told = async () => {
    smtp.mails.length = 0;
    await queueDigests(deps);
    await deliverDue(deps);
    return smtp.mails.map(({ to }) => to.split('@')[0]).sort();
  };
  const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
  const retag = (tags: string[], tellsNewReaders: boolean) =>
    s.call(admin, 'updatePost', { ...essay({ tags }), postId, tellsNewReaders });
  return { told, retag, deps, lucy, mina, jonathan };
}

describeEngines('a post that more people may read', ({ site }) => {
  it('a post that opens to more people is mailed to each of them once', async () => {
    const s = await site();
    const { told, retag, deps } = await scene(s);
    expect(await told()).toEqual(['lucy']);
    await retag(['family'], true);
    expect(await told()).toEqual(['mina']);
    await retag(['friends'], true);
    expect(await told()).toEqual([]);
    // The mails themselves are kept for a month.
    s.wait(31 * dayMs);
    await renewSessions(s);
    await sweepMails(deps);
    await retag([], true);
    expect(await told()).toEqual([]);
    s.wait(dayMs + hourMs);
    expect(await told()).toEqual(['jonathan']);
    await retag(['friends'], true);
    await retag([], true);
    s.wait(dayMs + hourMs);
    expect(await told()).toEqual([]);
  });

  it('a post that opens to more people is mailed to them only if its author says so', async () => {
    const s = await site();
    const { told, retag } = await scene(s);
    expect(await told()).toEqual(['lucy']);
    await retag([], false);
    s.wait(dayMs + hourMs);
    // Only those whose digest comes later, and holds what was announced before.
    expect(await told()).toEqual(['jonathan']);
  });

  it('nobody is mailed a post with a tag that they left out', async () => {
    const s = await site();
    const { told, retag, lucy, mina, jonathan } = await scene(s);
    const [tag] = (await s.call(lucy, 'getSubscription', {})).tags;
    expect(tag).toMatchObject({ name: 'friends', isWanted: true });
    const id = tag?.id ?? '';
    const unwanted = { subscribed: true, tag: { id, isWanted: false } };
    expect((await s.call(lucy, 'setSubscription', unwanted)).tags).toEqual([{ ...tag, isWanted: false }]);
    // Whoever does not see a tag is answered as if there were none.
    expect((await s.call(mina, 'setSubscription', unwanted)).tags).toEqual([]);
    await retag([], false);
    await s.call(jonathan, 'setSubscription', unwanted);
    await retag(['friends'], false);
    expect(await told()).toEqual([]);
    await s.call(lucy, 'setSubscription', { subscribed: true, tag: { id, isWanted: true } });
    await retag(['friends'], true);
    expect(await told()).toEqual(['lucy']);
    expect(await s.deps.db.selectFrom('unwanted_tags').selectAll().execute()).toEqual([]);
  });
});
