import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { announcePost } from '../../server/posts/announce.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { states, subjectOf, subscribe, withSmtp } from '../support/mailing-site.ts';
import type { Person, Site } from '../support/site.ts';

const german = 'Sie kommen aus den Hügeln und fließen durch das Tal bis an das Meer.\n\nUnd gehen.';

/** What ends a mail about a new post that is in the queue already. */
const ends: Record<string, (s: Site, friend: NonNullable<Person>) => Promise<unknown>> = {
  'is denied': ({ deps }, { id }) => denyUser(deps, id),
  unsubscribes: (s, friend) => s.call(friend, 'setSubscription', { subscribed: false }),
};

describeEngines(({ siteWithAdmin }) => {
  it('6, 12. mail about new posts reaches only subscribers who may read the post, once, with what they may see', async () => {
    const [s, admin] = await siteWithAdmin();
    const friend = await s.member(['friends'], 'friend');
    const people = [
      friend,
      await s.member([], 'stranger'),
      await s.signUp('pending'),
      await s.denied(),
      await s.member(['friends'], 'friend2'),
    ] as const;
    await subscribe(s, ...people);
    await s.member(['friends'], 'unsubscribed');
    const { smtp, deps } = await withSmtp(s);
    const [postId = ''] = await publish(
      s,
      admin,
      essay({ title: 'Über Flüsse', tags: ['friends'], content: german }),
    );
    await publish(s, admin, { ...essay({ title: 'A draft' }), isDraft: true });
    expect(await deliverDue(deps)).toEqual({ sent: 2, isServerDown: false });
    expect(smtp.mails.map(mail => mail.to).sort()).toEqual(['friend2@example.com', 'friend@example.com']);
    const { source = '', text = '' } = smtp.mails[0] ?? {};
    expect(source).toContain('=?UTF-8?');
    expect(text).toContain('Sie kommen aus den Hügeln');
    expect(source).toMatch(/^List-Unsubscribe: ?\s*<http:\/\/[^>]+\/unsubscribe\?token=[\w.=\r\n -]+>/m);
    expect(source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    expect(source).toMatch(/^List-ID: <posts\.localhost>\r$/im);
    // No line break cuts a link, and what people wrote has its direction and language.
    expect(source).not.toContain('quoted-printable');
    expect(text).toContain(`\n${s.config.publicUrl}/post/${postId}\n`);
    expect(smtp.mails[0]?.html).toMatch(/<h1 dir="auto" lang="de"[^>]*>Über Flüsse<\/h1>/);
    expect(smtp.mails[0]?.html).toMatch(/<p dir="auto" lang="de"[^>]*>Sie kommen aus/);
    expect(String(smtp.mails[0]?.html).match(/ lang="en"/g)).toHaveLength(1);

    // Edits and saving again announce nothing.
    await s.call(admin, 'updatePost', { ...essay({ tags: [] }), postId });
    expect((await deliverDue(deps)).sent).toBe(0);
    await s.deps.db.transaction().execute(trx => announcePost(trx, postId, s.deps.clock()));
    expect((await deliverDue(deps)).sent).toBe(0);
  });

  it('12. the rights at the moment of sending count', async () => {
    const [s, admin] = await siteWithAdmin();
    const people = [
      await s.member(['friends']),
      await s.member(['friends']),
      await s.member(['friends']),
    ] as const;
    await subscribe(s, ...people);
    const { deps, deliver } = await withSmtp(s);
    await publish(s, admin, essay({ tags: ['friends'] }));
    await denyUser(s.deps, people[0].id);
    await s.deps.db.deleteFrom('approved_tags').where('user_id', '=', people[1].id).execute();
    await s.deps.db.deleteFrom('subscriptions').where('user_id', '=', people[2].id).execute();
    expect(await deliver()).toEqual([]);
    // The last one ended the subscription before its row was made.
    expect(await states(deps)).toEqual(['dropped', 'dropped']);
  });

  it.each(Object.keys(ends))(
    '12. mail about new posts does not reach a member who %s while the mail server answers the connection',
    async end => {
      const [s, admin] = await siteWithAdmin();
      const friend = await s.member(['friends'], 'friend');
      await subscribe(s, friend);
      const { deps, deliver } = await withSmtp(s, {
        letsIn: async () => {
          await ends[end]?.(s, friend);
          return true;
        },
      });
      await publish(s, admin, essay({ tags: ['friends'] }));
      expect(await deliver()).toEqual([]);
      expect(await states(deps)).toEqual(['dropped']);
    },
  );

  it('mail about new posts has no name of a camera for its subject', async () => {
    const [s, admin] = await siteWithAdmin();
    await subscribe(s, await s.member([], 'friend'));
    const { deliver } = await withSmtp(s);
    await publish(s, admin, shortPost('![IMG_4711](/icon-192.png)'));
    await publish(s, admin, shortPost('![IMG_4711.HEIC.jpg](/icon-192.png)\n\nBy the sea.'));
    const mails = await deliver();
    expect(mails.map(subjectOf).sort()).toEqual(['By the sea.', 'New on Coterie']);
    for (const { source } of mails) expect(source).not.toContain('IMG_4711');
  });

  it('mail about new posts is not delayed when the clock was set back', async () => {
    const [s, admin] = await siteWithAdmin();
    const friend = await s.member([], 'friend');
    await subscribe(s, friend);
    const { deps, deliver } = await withSmtp(s);
    await s.signUp('early');
    await queueAdminDigests(deps);
    await publish(s, admin, shortPost('Before.'));
    // Queued, and told of, in what is now the future.
    s.wait(-24 * 60 * 60_000);
    await publish(s, admin, shortPost('After.'));
    await s.signUp('late');
    await queueAdminDigests(deps);
    const subjects = (await deliver()).map(subjectOf).sort();
    expect(subjects).toEqual([
      '2 people are waiting for approval',
      '2 people are waiting for approval',
      'After.',
      'Before.',
    ]);
  });

  it('56. mail about new posts has a link that ends the subscription, only by POST', async () => {
    const [s, admin] = await siteWithAdmin();
    const [one, two] = [await s.member([], 'one'), await s.member([], 'two')];
    await subscribe(s, one, two);
    const { deliver } = await withSmtp(s);
    await publish(s, admin, essay());
    const mail = (await deliver()).find(received => received.to === 'one@example.com');
    const unfolded = (mail?.source ?? '').replaceAll(/\r\n[ \t]+/g, ' ');
    const link = new URL(/^List-Unsubscribe: <([^>]+)>/m.exec(unfolded)?.[1]?.replaceAll(' ', '') ?? '');
    const path = link.pathname + link.search;
    const subscribed = async () =>
      (await s.deps.db.selectFrom('subscriptions').select('user_id').execute()).map(row => row.user_id);
    expect((await s.request(path)).status).toBe(200);
    expect(await subscribed()).toHaveLength(2);
    const forged = `/unsubscribe?token=${two.id}.${link.searchParams.get('token')?.split('.')[1]}`;
    expect((await s.request(forged, null, { method: 'POST' })).status).toBe(400);
    const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
    // Once a week instead: by the same token, as long as there is a subscription.
    expect(mail?.text).toMatch(/Choose how often.*\/profile/);
    expect(await (await s.request(path)).text()).toContain('Once a week instead');
    const rhythm = async () => (await s.call(one, 'getSubscription', {})).rhythm;
    expect((await s.request(`${forged}&instead=weekly`, null, { method: 'POST' })).status).toBe(400);
    expect(await rhythm()).toBe('at-once');
    const weekly = { method: 'POST', headers: { 'sec-fetch-mode': 'navigate' } };
    const slower = await s.request(`${path}&instead=weekly`, null, weekly);
    expect(slower.headers.get('location')).toBe('/unsubscribe?done=weekly');
    expect([await rhythm(), (await s.call(two, 'getSubscription', {})).rhythm]).toEqual([
      'weekly',
      'at-once',
    ]);
    expect(await (await s.request('/unsubscribe?done=weekly')).text()).toContain('once a week now');
    expect((await s.request(path, null, oneClick)).status).toBe(200);
    expect((await s.request(path, null, oneClick)).status).toBe(200);
    const late = await s.request(`${path}&instead=weekly`, null, weekly);
    expect(late.headers.get('location')).toBe('/unsubscribe?done=1');
    expect(await subscribed()).toEqual([two.id]);
    // A browser is led to a page that says so; without a token nothing has happened, and none says that it
    // has.
    const browser = {
      ...oneClick,
      headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' },
    };
    const answer = await s.request(path, null, browser);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/unsubscribe?done=1']);
    expect(await (await s.request('/unsubscribe?done=1')).text()).toContain('You are unsubscribed.');
    const page = await (await s.request('/unsubscribe')).text();
    expect(page).not.toContain('You are unsubscribed.');
    expect(page).toContain('This link is incomplete.');
  });
});
