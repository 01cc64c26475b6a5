import { expect, it, onTestFinished } from 'vitest';
import { deliverDue } from '../../server/mail/deliver.ts';
import { mailConnections } from '../../server/mail/transport.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { states, subjectOf, subscribe, withSmtp } from '../support/mailing-site.ts';
import type { Person, Site } from '../support/site.ts';
import { startSmtp } from '../support/smtp.ts';

/** So many members who get new posts by mail. */
async function subscribers(s: Site, count: number): Promise<NonNullable<Person>[]> {
  const people: NonNullable<Person>[] = [];
  for (let index = 0; index < count; index += 1) people.push(await s.member());
  await subscribe(s, ...people);
  return people;
}

describeEngines(({ siteWithAdmin }) => {
  it('55. mail about new posts is sent again after a temporary refusal, given up after a permanent one, and waits while the server is away', async () => {
    const [s, admin] = await siteWithAdmin();
    const people = [
      await s.member([], 'refused'),
      await s.member([], 'later'),
      await s.member([], 'fine'),
    ] as const;
    await subscribe(s, ...people);
    let isLate = true;
    const { smtp, deps } = await withSmtp(s, {
      answer: to =>
        to.startsWith('refused') ? 'refuse' : to.startsWith('later') && isLate ? 'later' : 'take',
    });
    await publish(s, admin, shortPost('A word.'));
    expect((await deliverDue(deps)).sent).toBe(1);
    expect((await deliverDue(deps)).sent).toBe(0);
    isLate = false;
    s.wait(61_000);
    expect((await deliverDue(deps)).sent).toBe(1);
    expect(smtp.mails.map(mail => mail.to)).toEqual(['fine@example.com', 'later@example.com']);
    expect((await states(deps)).sort()).toEqual(['failed', 'sent', 'sent']);

    await smtp.stop();
    await publish(s, admin, shortPost('Another word.'));
    expect(await deliverDue(deps)).toMatchObject({ sent: 0, isServerDown: true });
    const again = await startSmtp({ port: smtp.port });
    onTestFinished(again.stop);
    expect((await deliverDue(deps)).sent).toBe(3);
  });

  it('mail about new posts is overtaken by a link that somebody asks for while others wait', async () => {
    const [s, admin] = await siteWithAdmin();
    const people = await subscribers(s, 30);
    const { smtp, deps } = await withSmtp(s);
    await publish(s, admin, shortPost('A word.'));
    expect((await deliverDue(deps, 1, 5)).sent).toBe(5);
    s.wait(60_000);
    await s.call(null, 'requestPasswordReset', { email: `${people[0]?.username}@example.com` });
    expect((await deliverDue(deps, 1, 5)).sent).toBe(5);
    const subjects = smtp.mails.map(subjectOf);
    expect(subjects.slice(5)).toEqual(['Reset your password for Coterie', ...Array(4).fill('A word.')]);
  });

  it('after all connections were refused, one connection tries again, and more follow as mails are accepted', async () => {
    const [s, admin] = await siteWithAdmin();
    await subscribers(s, 60);
    let [asked, isOpen, most] = [0, false, 0];
    const { smtp, deps } = await withSmtp(s, {
      letsIn: open => {
        asked += 1;
        most = Math.max(most, open);
        return isOpen;
      },
    });
    await publish(s, admin, shortPost('A word.'));
    expect(await deliverDue(deps)).toMatchObject({ sent: 0, isServerDown: true });
    expect(asked).toBe(mailConnections);
    expect(await deliverDue(deps, 1)).toMatchObject({ sent: 0, isServerDown: true });
    expect(asked).toBe(mailConnections + 1);
    [isOpen, most] = [true, 0];
    expect(await deliverDue(deps, 1)).toMatchObject({ sent: 60, isServerDown: false });
    expect(smtp.mails).toHaveLength(60);
    expect(most).toBeGreaterThan(1);
  });

  it('71. mail about new posts is sent once though several processes work on the queue', async () => {
    const [s, admin] = await siteWithAdmin();
    await subscribers(s, 60);
    const { smtp, deps } = await withSmtp(s);
    await publish(s, admin, shortPost());
    const results = await Promise.all([deliverDue(deps), deliverDue(deps), deliverDue(deps)]);
    expect(results.reduce((sum, result) => sum + result.sent, 0)).toBe(60);
    expect(new Set(smtp.mails.map(mail => mail.to)).size).toBe(60);
    expect(smtp.mails).toHaveLength(60);
  });

  it('71. mail about new posts is not taken from a worker by a process whose clock is a little behind', async () => {
    const [s, admin] = await siteWithAdmin();
    await subscribers(s, 8);
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { smtp, deps } = await withSmtp(s, {
      onMail: async () => {
        begun.resolve();
        if (smtp.mails.length <= mailConnections) await go.promise;
      },
    });
    await publish(s, admin, shortPost());
    const sending = deliverDue(deps);
    await begun.promise;
    const other = await deliverDue({ ...deps, clock: () => deps.clock() - 500 }).finally(go.resolve);
    expect(other.sent).toBe(0);
    expect((await sending).sent).toBe(8);
    expect(smtp.mails).toHaveLength(8);
  });

  it('71. mail about new posts is sent again with the same Message-ID if the answer was lost', async () => {
    const [s, admin] = await siteWithAdmin();
    await subscribe(s, await s.member());
    const { smtp, deps } = await withSmtp(s, {
      onMail: () => {
        if (smtp.mails.length === 1) smtp.hangUp();
      },
    });
    await publish(s, admin, shortPost());
    expect(await deliverDue(deps)).toEqual({ sent: 0, isServerDown: false });
    expect(await states(deps)).toEqual(['queued']);
    s.wait(61_000);
    expect(await deliverDue(deps)).toEqual({ sent: 1, isServerDown: false });
    const [first, second, third] = smtp.mails.map(mail => /^Message-ID: (.+)$/im.exec(mail.source)?.[1]);
    expect(first).toMatch(/^<.+@.+>$/);
    expect([second, third]).toEqual([first, undefined]);
  });

  it('mail about new posts stays in the queue for the next start when the server stops', async () => {
    const [s, admin] = await siteWithAdmin();
    await subscribers(s, 30);
    const stop = new AbortController();
    const { smtp, deps } = await withSmtp(s, { onMail: () => stop.abort() });
    await publish(s, admin, shortPost());
    const stopped = await deliverDue({ ...deps, stopping: stop.signal });
    // What was under way on each connection is sent to its end.
    expect(stopped).toEqual({ sent: smtp.mails.length, isServerDown: false });
    expect(stopped.sent).toBeLessThanOrEqual(mailConnections);
    const waiting = deps.db.selectFrom('mails').select('lease').where('state', '=', 'queued');
    expect(new Set((await waiting.execute()).map(row => row.lease))).toEqual(new Set([null]));
    expect((await deliverDue(deps)).sent).toBe(30 - stopped.sent);
  });
});
