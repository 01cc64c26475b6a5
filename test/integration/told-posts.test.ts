import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { sweepMails } from '../../server/mail/queue.ts';
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
  const { deps, deliver } = await withSmtp(s);
  /** Who gets a mail by now. */
  const told = async () => {
    await queueDigests(deps);
    return (await deliver()).map(({ to }) => to.split('@')[0]).sort();
  };
  const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
  const retag = (tags: string[], tellsNewReaders: boolean) =>
    s.call(admin, 'updatePost', { ...essay({ tags }), postId, tellsNewReaders });
  return { admin, told, retag, deps, lucy, mina, jonathan };
}

describeEngines(({ site }) => {
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

  it('nobody is mailed a post that is published quietly, until its author says so', async () => {
    const s = await site();
    const { admin, told } = await scene(s);
    await told();
    const quiet = { ...essay({ title: 'Quiet' }), isQuiet: true, date: '2020-05-01T12:00' };
    const { post } = await s.call(admin, 'createPost', quiet);
    const draft = await s.call(admin, 'createPost', { ...essay(), isDraft: true });
    await s.call(admin, 'updatePost', { ...essay(), postId: draft.post.id, isQuiet: true });
    expect(await told()).toEqual([]);
    await s.call(admin, 'updatePost', { ...essay(), postId: post.id, tellsNewReaders: true });
    expect(await told()).toEqual(['lucy', 'mina']);
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

/** Posts for friends, and mina, who gets new posts by mail and is given tags. */
async function given(
  s: Site,
  rhythm: 'at-once' | 'daily' = 'at-once',
  options: Parameters<typeof withSmtp>[1] = {},
) {
  const admin = await s.admin();
  const mina = await s.member([], 'mina');
  await s.call(mina, 'setSubscription', { subscribed: true, rhythm });
  const { smtp, deps, deliver } = await withSmtp(s, options);
  const titles = ['The mill', 'The garden', 'The lake'];
  const posts = titles.map(title => essay({ title, tags: ['friends'] }));
  await publish(s, admin, ...posts, essay({ title: 'For two', tags: ['friends', 'family'] }));
  /** The mails that come by now: their subjects, and the titles that they name. */
  const mailed = async () => {
    await queueDigests(deps);
    const mails = await Promise.all((await deliver()).map(({ source }) => PostalMime.parse(source)));
    const named = (text = '') => [...titles, 'For two', 'New'].filter(title => text.includes(title));
    return mails.map(({ subject, text }) => [subject, ...named(text)]);
  };
  const give = (tags: string[], tellsMember = true) =>
    s.call(admin, 'setApprovedTags', { userId: mina.id, tags, tellsMember });
  expect(await mailed()).toEqual([]);
  return { admin, mina, deps, smtp, mailed, give };
}

describeEngines(({ site }) => {
  it('a member hears of the posts that a given tag opens in one mail, and of each once', async () => {
    const s = await site();
    const { admin, deps, smtp, mailed, give } = await given(s);
    await give(['friends'], true);
    const subject = 'You can now read 3 more posts with the tag “friends”';
    expect(await mailed()).toEqual([[subject, 'The mill', 'The garden', 'The lake']]);
    expect(smtp.mails[0]?.source).toMatch(/^List-Unsubscribe:/m);
    await give([]);
    await give(['friends']);
    expect(await mailed()).toEqual([]);
    await give(['friends', 'family']);
    expect(await mailed()).toEqual([['You can now read one more post with the tag “family”', 'For two']]);
    const [postId = ''] = await publish(s, admin, essay({ title: 'New', tags: ['friends'] }));
    await deliverDue(deps);
    await give([]);
    await give(['friends']);
    await s.call(admin, 'updatePost', { ...essay({ title: 'New' }), postId, tellsNewReaders: true });
    expect(await mailed()).toEqual([]);
  });

  it('a member who is given a tag hears nothing unless the admin says so', async () => {
    const { mailed, give } = await given(await site());
    await give(['friends'], false);
    expect(await mailed()).toEqual([]);
  });

  it('the right to the posts of a given tag is checked when the mail is sent', async () => {
    const s = await site();
    const { admin, mina, mailed, give } = await given(s);
    await give(['friends']);
    await give([]);
    expect(await mailed()).toEqual([]);
    await give(['friends']);
    await s.call(admin, 'denyUser', { userId: mina.id });
    expect(await mailed()).toEqual([]);
  });

  it('no mail tells of the posts of a given tag to those who left it out or want no posts', async () => {
    const s = await site();
    const { mina, mailed, give } = await given(s);
    await give(['friends'], false);
    const id = (await s.call(mina, 'getSubscription', {})).tags[0]?.id ?? '';
    await s.call(mina, 'setSubscription', { subscribed: true, tag: { id, isWanted: false } });
    await give([], false);
    await give(['friends']);
    expect(await mailed()).toEqual([]);
    await s.call(mina, 'setSubscription', { subscribed: false });
    await give(['friends', 'family']);
    expect(await mailed()).toEqual([]);
  });

  it('posts that a given tag opens wait for the hour of a digest, and are not in both', async () => {
    const s = await site();
    const { admin, mailed, give } = await given(s, 'daily');
    await give(['friends']);
    await publish(s, admin, essay({ title: 'New', tags: ['friends'] }));
    expect(await mailed()).toEqual([]);
    s.wait(dayMs + hourMs);
    // The posts were new within the digest.
    const all = ['The mill', 'The garden', 'The lake', 'New'];
    expect(await mailed()).toEqual([['4 new posts on Coterie', ...all]]);
    s.wait(hourMs);
    expect(await mailed()).toEqual([]);
  });

  it('posts from before a weekly digest wait for its day, and come also after a refusal', async () => {
    const s = await site();
    let refusals = 0;
    const { mina, mailed, give } = await given(s, 'at-once', {
      answer: () => (refusals-- > 0 ? 'later' : 'take'),
    });
    s.wait(1);
    await s.call(mina, 'setSubscription', { subscribed: true, rhythm: 'weekly' });
    s.wait(1);
    await give(['friends']);
    // From a Thursday to the Monday after it.
    for (let hours = 0; hours < 3 * 24; hours += 1) {
      expect(await mailed()).toEqual([]);
      s.wait(hourMs);
    }
    refusals = 1;
    const came: (string | undefined)[][] = [];
    for (let hours = 0; hours < 5 * 24; hours += 1) {
      came.push(...(await mailed()));
      s.wait(hourMs);
    }
    const subject = 'You can now read 3 more posts with the tag “friends”';
    expect(came).toEqual([[subject, 'The mill', 'The garden', 'The lake']]);
    expect(refusals).toBeLessThan(0);
  });

  it('a mail about a given tag names the newest posts, and counts as told of all', async () => {
    const s = await site();
    const { admin, mailed, give } = await given(s);
    const more = Array.from({ length: 12 }, () => essay({ title: 'One of many', tags: ['family'] }));
    await publish(s, admin, ...more);
    expect(await mailed()).toEqual([]);
    await give(['family']);
    expect(await mailed()).toEqual([['You can now read 12 more posts with the tag “family”']]);
    await give([]);
    await give(['family']);
    expect(await mailed()).toEqual([]);
  });
});
