import { expect, it } from 'vitest';
import { deliverDue } from '../../server/mail/deliver.ts';
import { inboxJobs } from '../../server/surfaces/incoming-mail/inbox.ts';
import { startDovecot } from '../support/dovecot.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Site } from '../support/site.ts';

/** A friend who got a post by mail, and the mailbox in which their answers arrive. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  await s.call(lucy, 'setSubscription', { subscribed: true });
  const [{ smtp, deps: mailing }, dovecot] = await Promise.all([withSmtp(s), startDovecot()]);
  let whileRead = async () => {};
  const deps = {
    ...mailing,
    config: { ...mailing.config, mailReplyAddress: 'reply+{}@blog.example', mailInboxUrl: dovecot.url },
    changes: Object.assign(Object.create(mailing.changes) as typeof mailing.changes, {
      caughtUp: async () => {
        await whileRead();
        await mailing.changes.caughtUp();
      },
    }),
  };
  const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
  await deliverDue(deps);
  const to = /^Reply-To: (\S+)$/m.exec(smtp.mails[0]?.source ?? '')?.[1] ?? '';
  const answer = (words: string) =>
    dovecot.deliver(
      `From: Lucy <lucy@example.com>\nTo: ${to}\nSubject: ${words}\nMessage-ID: <${words}@phone.example>\n\n${words}\n`,
    );
  const [job] = inboxJobs(deps);
  const comments = async () =>
    (await s.call(admin, 'listComments', { postId })).comments.map(({ content }) => content).sort();
  return {
    admin,
    lucy,
    dovecot,
    answer,
    comments,
    take: async () => job?.run(),
    /** Runs something once, after the next mail was fetched and before it is taken. */
    onNextMail: (run: () => Promise<void>) => {
      whileRead = async () => {
        whileRead = async () => {};
        await run();
      };
    },
  };
}

describeEngines('the mailbox for answers', ({ site }) => {
  it('an answer in the mailbox becomes a comment once, and mails to others stay unread', async () => {
    const s = await site();
    const { dovecot, answer, comments, take } = await scene(s);
    await answer('First');
    await dovecot.deliver('From: mina@example.com\nTo: jonathan@example.com\nSubject: Ours\n\nHello.\n');
    for (const _ of [1, 2]) await take();
    await answer('Second');
    // A process that has just started knows of no mail.
    for (const _ of [1, 2]) await take();
    expect(await comments()).toEqual(['First', 'Second']);
    expect(await dovecot.unread()).toEqual(['Ours']);
  });

  it('an answer in the mailbox becomes no comment after its writer was denied', async () => {
    const s = await site();
    const { admin, lucy, dovecot, answer, comments, take } = await scene(s);
    await answer('Late');
    await s.call(admin, 'denyUser', { userId: lucy.id });
    await take();
    expect(await comments()).toEqual([]);
    expect(await dovecot.unread()).toEqual([]);
  });

  it('no answer is lost or doubled when the mail server goes away and comes back', async () => {
    const s = await site();
    const { dovecot, answer, comments, take, onNextMail } = await scene(s);
    for (const words of ['First', 'Second', 'Third']) await answer(words);
    onNextMail(() => dovecot.stop());
    await expect(take()).rejects.toThrow();
    expect(await comments()).toEqual(['First']);
    await expect(take()).rejects.toThrow();
    await dovecot.start();
    for (const _ of [1, 2]) await take();
    expect(await comments()).toEqual(['First', 'Second', 'Third']);
  });
});
