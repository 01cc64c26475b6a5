import { expect, it, onTestFinished } from 'vitest';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { receiveMail } from '../../server/incoming-mail/receive.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { mailTransport } from '../../server/mail/transport.ts';
import { queueDigests } from '../../server/mail/wishes/digests.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Site } from '../support/site.ts';
import { startSmtp } from '../support/smtp.ts';

/** A site that takes mail at a host, and a member who follows the comments of its post. */
async function siteAt(s: Site, host: string) {
  const admin = await s.admin();
  const member = await s.member([], 'lucy');
  const { db } = s.deps;
  await db.updateTable('users').set({ email_verified: true }).execute();
  const smtp = await startSmtp();
  const mail = mailTransport({ ...s.config, smtpUrl: smtp.url, mailFrom: `blog@${host}` }, s.deps.settings);
  onTestFinished(async () => {
    mail.close();
    await smtp.stop();
  });
  const config = { ...s.deps.config, mailReplyAddress: `reply+{}@${host}` };
  const deps = { ...s.deps, mail, config, limits: new Limits() };
  const deliver = async () => {
    await deliverDue(deps);
    return smtp.mails.splice(0);
  };
  await s.call(member, 'setSubscription', { subscribed: true });
  await s.call(member, 'setMailWish', { kind: 'followed', isOn: true });
  const [postId = ''] = await publish(s, admin, essay());
  await s.call(member, 'addComment', { postId, content: 'The first.' });
  const mails = (await deliver()).filter(({ to }) => to === 'lucy@example.com');
  const replyTo = /^Reply-To: (\S+)$/m.exec(mails.map(({ source }) => source).join('\n'))?.[1] ?? '';
  expect(replyTo).toContain(`@${host}`);
  return {
    replyTo,
    deliver,
    receive: (source: string) => receiveMail(deps, Buffer.from(source)),
    /** Gives the member this address. */
    moveTo: async (email: string) => {
      await db.updateTable('users').set({ email }).where('id', '=', member.id).execute();
      await db.updateTable('subscriptions').set({ email }).where('user_id', '=', member.id).execute();
    },
    comment: () => s.call(admin, 'addComment', { postId, content: 'Another.' }),
    publish: () => publish(s, admin, essay()),
    comments: async () => (await s.call(admin, 'listComments', { postId })).comments.length,
  };
}

const rounds = 10;

describeEngines(({ site, siteWithAdmin }) => {
  it.each([
    ['as they are', (source: string, _from: string) => source],
    [
      'as a forwarder sends them that names its reader as the sender',
      (source: string, from: string) =>
        source.replace(/^From: .*$/m, `From: ${from}`).replace(/^List-Id:.*\r\n/m, ''),
    ],
  ])(
    'two sites whose members have each other’s reply addresses fall silent: mails %s',
    async (_, forward) => {
      const [a, b] = [await siteAt(await site(), 'a.example'), await siteAt(await site(), 'b.example')];
      await a.moveTo(b.replyTo);
      await b.moveTo(a.replyTo);
      const before = [await a.comments(), await b.comments()];
      for (const each of [a, b]) {
        await each.comment();
        await each.publish();
      }
      const sent: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const mails = [await a.deliver(), await b.deliver()];
        const [fromA = [], fromB = []] = mails.map(some => some.filter(({ to }) => to.startsWith('reply+')));
        sent.push(fromA.length + fromB.length);
        for (const { source } of fromA) expect(await b.receive(forward(source, a.replyTo))).toBe('ignored');
        for (const { source } of fromB) expect(await a.receive(forward(source, b.replyTo))).toBe('ignored');
      }
      // A post and a comment of each, and no answer to any.
      expect(sent).toEqual([4, ...Array.from({ length: rounds - 1 }, () => 0)]);
      expect([await a.comments(), await b.comments()]).toEqual(before.map(count => count + 1));
    },
  );

  it('a digest that waits while its reader is denied or loses a tag is not sent to them', async () => {
    const [s, admin] = await siteWithAdmin();
    const names = ['lucy', 'mina', 'jonathan'];
    const readers = await Promise.all(names.map(name => s.member(['friends'], name)));
    for (const reader of readers)
      await s.call(reader, 'setSubscription', { subscribed: true, rhythm: 'daily' });
    s.wait(1);
    let decided = false;
    const { smtp, deps } = await withSmtp(s, {
      // While the server has the first digest, an admin decides about the readers of the others.
      onMail: async ({ to }) => {
        if (decided) return;
        decided = true;
        const [denied, other] = readers.filter(({ username }) => !to.startsWith(username));
        await s.call(admin, 'denyUser', { userId: denied?.id ?? '' });
        await s.call(admin, 'setApprovedTags', { userId: other?.id ?? '', tags: [] });
      },
    });
    await publish(s, admin, essay({ title: 'For friends', tags: ['friends'] }));
    s.wait(dayMs + hourMs);
    await queueDigests(deps);
    const queued = s.deps.db.selectFrom('mails').select('id').where('kind', '=', 'digest');
    expect(await queued.where('state', '=', 'queued').execute()).toHaveLength(3);
    await deliverDue(deps, 1);
    expect(smtp.mails).toHaveLength(1);
    expect(await queued.where('state', '=', 'dropped').execute()).toHaveLength(2);
  });
});
