import { expect, it } from 'vitest';
import { receiveMail } from '../../server/incoming-mail/receive.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { changeUser } from '../support/rows.ts';
import type { Site } from '../support/site.ts';
import type { Answer } from '../support/smtp.ts';

/** A report of a mail server (RFC 3464) that a mail to lucy came back. */
function report(to: string, id: string, { status = '5.1.1', recipient = 'lucy@example.com' } = {}): Buffer {
  const lines = `From: MAILER-DAEMON@mx.example
To: ${to}
Message-ID: <${id}@mx.example>
Return-Path: <>
Content-Type: multipart/report; report-type=delivery-status; boundary="x"

--x
Content-Type: text/plain

No such mailbox.
--x
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; ${recipient}
Action: failed
Status: ${status}
Diagnostic-Code: smtp; 550 5.1.1 No such
  mailbox here

--x
Content-Type: message/rfc822

Subject: On rivers

--x--
`;
  return Buffer.from(lines.replaceAll('\n', '\r\n'));
}

async function scene(s: Site) {
  const admin = await s.admin();
  const [lucy, mina] = [await s.member([], 'lucy'), await s.member([], 'mina')];
  for (const person of [lucy, mina]) await s.call(person, 'setSubscription', { subscribed: true });
  let answer: Answer = 'take';
  s.deps.config.mailReplyAddress = 'reply+{}@blog.example';
  const { smtp, deps, deliver } = await withSmtp(s, {
    answer: to => (to.startsWith('lucy') ? answer : 'take'),
  });
  /** Who is mailed about a new post. */
  const toldOfPost = async () => {
    await publish(s, admin, essay());
    return (await deliver()).map(({ to }) => to.split('@')[0]).sort();
  };
  const lastFrom = () => smtp.mails.find(({ to }) => to.startsWith('lucy'))?.from ?? '';
  const answering = (next: Answer) => {
    answer = next;
  };
  return { admin, lucy, mina, deps, deliver, toldOfPost, lastFrom, answering };
}

const account = (s: Site, of: Parameters<Site['call']>[0]) => s.call(of, 'getAccount', {});

describeEngines(({ site }) => {
  it('three returned mails pause an address until its owner opens a mailed link', async () => {
    const s = await site();
    const { admin, lucy, deps, deliver, toldOfPost, lastFrom } = await scene(s);
    expect(await toldOfPost()).toEqual(['lucy', 'mina']);
    const from = lastFrom();
    expect(from).toMatch(/^reply\+[0-9a-f]{44}@blog\.example$/);
    // The same report twice, and those that say nothing of the address, do not count.
    for (const id of ['1', '1', '2']) expect(await receiveMail(deps, report(from, id))).toBe('bounce');
    for (const status of ['4.4.1', '5.2.2', '5.7.1'])
      expect(await receiveMail(deps, report(from, status, { status }))).toBe('ignored');
    await receiveMail(deps, report(from, 'other', { recipient: 'old@example.com' }));
    await receiveMail(
      deps,
      report(
        from.replace(/[0-9a-f]@/, digit => (digit === '0@' ? '1@' : '0@')),
        'forged',
      ),
    );
    expect(await toldOfPost()).toEqual(['lucy', 'mina']);
    expect((await account(s, lucy)).mailPause).toBeNull();
    await receiveMail(deps, report(from, '3'));
    expect(await toldOfPost()).toEqual(['mina']);
    expect((await account(s, lucy)).mailPause).toBe('550 5.1.1 No such mailbox here');
    expect((await s.call(admin, 'getMailState', {})).paused).toMatchObject([
      { username: 'lucy', reason: '550 5.1.1 No such mailbox here' },
    ]);
    await changeUser(s, lucy.id, { email_verified: true });
    await s.call(lucy, 'sendConfirmation', {});
    const token = /\/confirm\?token=([\w-]+)/.exec((await deliver()).at(-1)?.text ?? '')?.[1] ?? '';
    await s.call(null, 'confirmEmail', { token });
    expect((await account(s, lucy)).mailPause).toBeNull();
    expect(await toldOfPost()).toEqual(['lucy', 'mina']);
  });

  it('ten reports of returned mails are read in an hour for an account, and 64 KiB of each', async () => {
    const s = await site();
    const { deps, toldOfPost, lastFrom } = await scene(s);
    await toldOfPost();
    const from = lastFrom();
    const behind = (words: number, id: string) =>
      Buffer.from(
        report(from, id)
          .toString()
          .replace('No such mailbox.', 'x\r\n'.repeat(words / 3)),
      );
    expect(await receiveMail(deps, behind(60_000, 'short'))).toBe('bounce');
    expect(await receiveMail(deps, behind(66_000, 'long'))).toBe('ignored');
    for (let number = 3; number <= 10; number += 1)
      expect(await receiveMail(deps, report(from, '4', { status: '4.4.1' }))).toBe('ignored');
    expect(await receiveMail(deps, report(from, 'eleventh'))).toBe('ignored');
    s.wait(60 * 60 * 1_000);
    expect(await receiveMail(deps, report(from, 'eleventh'))).toBe('bounce');
  });

  it('a return address pauses only the address it was made for', async () => {
    const s = await site();
    const { lucy, mina, deps, toldOfPost, lastFrom } = await scene(s);
    await toldOfPost();
    const from = lastFrom();
    // Lucy may name anybody in reports that she makes up.
    for (const id of ['1', '2', '3'])
      await receiveMail(deps, report(from, id, { recipient: 'mina@example.com' }));
    expect((await account(s, mina)).mailPause).toBeNull();
    const email = 'lucy2@example.com';
    await changeUser(s, lucy.id, { email });
    for (const id of ['4', '5', '6'])
      expect(await receiveMail(deps, report(from, id, { recipient: email }))).toBe('ignored');
    expect((await account(s, lucy)).mailPause).toBeNull();
  });

  it('an address that the mail server refuses at once counts as a returned mail', async () => {
    const s = await site();
    const { lucy, toldOfPost, answering } = await scene(s);
    answering('refuse');
    for (const _ of [1, 2, 3]) expect(await toldOfPost()).toEqual(['mina']);
    expect((await account(s, lucy)).mailPause).toContain('No such mailbox');
    answering('take');
    expect(await toldOfPost()).toEqual(['mina']);
    await changeUser(s, lucy.id, { email: 'lucy2@example.com' });
    expect(await toldOfPost()).toEqual(['lucy2', 'mina']);
  });
});
