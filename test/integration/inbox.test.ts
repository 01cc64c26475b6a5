import { ImapFlow } from 'imapflow';
import { expect, it, vi } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { inboxJobs } from '../../server/incoming-mail/inbox.ts';
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
  s.deps.config.mailReplyAddress = 'reply+{}@blog.example';
  const [{ deps: mailing, deliver }, dovecot] = await Promise.all([withSmtp(s), startDovecot()]);
  let whileRead = async () => {};
  const deps = {
    ...mailing,
    config: { ...mailing.config, mailInboxUrl: dovecot.url },
    changes: Object.assign(Object.create(mailing.changes) as typeof mailing.changes, {
      caughtUp: async () => {
        await whileRead();
        await mailing.changes.caughtUp();
      },
    }),
  };
  const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
  const to = /^Reply-To: (\S+)$/m.exec((await deliver())[0]?.source ?? '')?.[1] ?? '';
  const answer = (words: string) =>
    dovecot.deliver(
      `From: Lucy <lucy@example.com>\nTo: ${to}\nSubject: ${words}\nMessage-ID: <${words}@phone.example>\n\n${words}\n`,
    );
  /** Takes mails as a process of its own. */
  const taker = () => {
    const [job] = inboxJobs(deps);
    return async () => job?.run();
  };
  const comments = async () =>
    (await s.call(admin, 'listComments', { postId })).comments.map(({ content }) => content).sort();
  return {
    admin,
    lucy,
    dovecot,
    answer,
    comments,
    taker,
    take: taker(),
    /** Runs something with so many of the next mails, after each was fetched and before it is taken. */
    onNextMails: (count: number, run: () => void | Promise<void>) => {
      let left = count;
      whileRead = async () => {
        left -= 1;
        if (left >= 0) await run();
      };
    },
    /** What the writer of the answers is mailed now. */
    toldLucy: async () => (await deliver()).filter(mail => mail.to === 'lucy@example.com'),
  };
}

describeEngines(({ site }) => {
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

  it('many unread mails to others are looked at once, the newest first, also if the mail server goes away', async () => {
    const { dovecot, answer, comments, take, onNextMails } = await scene(await site());
    await answer('Old');
    const other = 'From: mina@example.com\nTo: jonathan@example.com\nSubject: Ours\n\nHello.\n';
    await dovecot.deliver(other, 500);
    await answer('New');
    onNextMails(1, () => dovecot.stop());
    await expect(take()).rejects.toThrow();
    expect(await comments()).toEqual(['New']);
    await dovecot.start();
    await take();
    expect(await comments()).toEqual(['New', 'Old']);
  });

  it('a mail to an address that nobody was given is marked as read without being fetched', async () => {
    const s = await site();
    const { dovecot, answer, comments, take } = await scene(s);
    const fetchOne = vi.spyOn(ImapFlow.prototype, 'fetchOne');
    await dovecot.deliver(
      `From: a@b.example\nTo: reply+${'a'.repeat(32)}@blog.example\nSubject: Made up\n\nHi.\n`,
    );
    await take();
    expect(await dovecot.unread()).toEqual([]);
    expect(fetchOne).not.toHaveBeenCalled();
    await answer('First');
    await take();
    expect(await comments()).toEqual(['First']);
    expect(fetchOne).toHaveBeenCalledTimes(1);
  });

  it('two processes with one mailbox take turns at its mails', async () => {
    const s = await site();
    const { answer, comments, taker, onNextMails } = await scene(s);
    const [first, second] = [taker(), taker()];
    await answer('First');
    let meanwhile: string[] | undefined;
    onNextMails(1, async () => {
      await second();
      meanwhile = await comments();
    });
    await first();
    expect(meanwhile).toEqual([]);
    expect(await comments()).toEqual(['First']);
    await answer('Second');
    await second();
    expect(await comments()).toEqual(['First', 'Second']);
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
    const { dovecot, answer, comments, take, onNextMails } = await scene(s);
    for (const words of ['First', 'Second', 'Third']) await answer(words);
    onNextMails(1, () => dovecot.stop());
    await expect(take()).rejects.toThrow();
    expect(await comments()).toEqual(['First']);
    await expect(take()).rejects.toThrow();
    await dovecot.start();
    for (const _ of [1, 2]) await take();
    expect(await comments()).toEqual(['First', 'Second', 'Third']);
  });

  it('a mail that fails is tried again, and the others do not wait for it', async () => {
    const s = await site();
    const { dovecot, answer, comments, take, onNextMails, toldLucy } = await scene(s);
    for (const words of ['First', 'Second']) await answer(words);
    onNextMails(1, () => {
      throw new Error('by accident');
    });
    await take();
    expect(await comments()).toEqual(['Second']);
    expect(await dovecot.unread()).toEqual(['First']);
    for (const _ of [1, 2]) await take();
    expect(await comments()).toEqual(['First', 'Second']);
    expect(await dovecot.unread()).toEqual([]);
    expect(await toldLucy()).toEqual([]);
  });

  it('a mail that fails again and again is given up, and its writer is told', async () => {
    const s = await site();
    const { dovecot, answer, comments, take, onNextMails, toldLucy } = await scene(s);
    await answer('First');
    onNextMails(3, () => {
      throw new AppError('aborted', 'by accident');
    });
    for (const _ of [1, 2, 3]) {
      await take();
      expect(await dovecot.unread()).toEqual(['First']);
    }
    await take();
    expect(await dovecot.unread()).toEqual([]);
    expect(await comments()).toEqual([]);
    const [mail, ...others] = await toldLucy();
    expect(others).toEqual([]);
    expect(mail?.text).toContain('could not be read');
  });

  it('a mail in the mailbox becomes a post of its author once', async () => {
    const s = await site();
    const { admin, lucy, dovecot, take, onNextMails } = await scene(s);
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: true });
    const { email } = await s.call(lucy, 'makePostAddress', { publishes: true });
    await dovecot.deliver(`From: lucy@example.com\nTo: ${email}\nSubject: Rain\n\nIt came.\n`);
    onNextMails(1, () => {
      throw new Error('by accident');
    });
    for (const _ of [1, 2, 3]) await take();
    const { posts } = await s.call(admin, 'listPosts', {});
    expect(posts.filter(({ title }) => title === 'Rain')).toMatchObject([{ isDraft: false }]);
    expect(await dovecot.unread()).toEqual([]);
  });
});
