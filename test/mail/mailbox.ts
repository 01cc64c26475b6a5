import { randomBytes } from 'node:crypto';
import { createTransport, type SendMailOptions } from 'nodemailer';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { startDovecot } from '../support/dovecot.ts';
import { essay } from '../support/factories.ts';
import { startSmtp } from '../support/smtp.ts';
import { install } from './machine.ts';

/** A mail as a program sends it, with the line ends of a file. */
async function written(mail: SendMailOptions): Promise<string> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return String((await transport.sendMail({ from: 'Lucy <lucy@example.com>', ...mail })).message);
}

/** A report of a mail server (RFC 3464) that a mail to Lucy came back. */
const reported = (to: string, number: number) => `From: MAILER-DAEMON@mx.example
To: ${to}
Message-ID: <${number}@mx.example>
Content-Type: multipart/report; report-type=delivery-status; boundary="x"

--x
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; lucy@example.com
Action: failed
Status: 5.1.1

--x--
`;

it('the built server takes answers, a post of 20 MB and reports from a mailbox', async () => {
  const [smtp, dovecot] = await Promise.all([startSmtp(), startDovecot()]);
  const site = await install({ SMTP_URL: smtp.url, MAIL_INBOX_URL: dovecot.url });
  const { admin, lucy } = await site.fill(async s => {
    const people = { admin: await s.admin(), lucy: await s.member([], 'lucy') };
    await s.call(people.admin, 'setAuthor', { userId: people.lucy.id, isAuthor: true });
    await s.deps.db.updateTable('users').set({ email_verified: true }).execute();
    await s.deps.db.deleteFrom('mails').execute();
    await s.call(people.lucy, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
    await s.call(people.admin, 'setMailWish', { kind: 'own-posts', isOn: false });
    return people;
  });
  await site.start();
  const { post } = await site.call(admin, 'createPost', { ...essay({ title: 'The mill' }), isDraft: false });
  await expect.poll(() => smtp.mails.length).toBe(1);
  const [about] = smtp.mails;
  const to = /^Reply-To: (\S+)$/m.exec(about?.source ?? '')?.[1] ?? '';
  const postAddress = (await site.call(lucy, 'makePostAddress', { publishes: true })).email;

  const raw = { width: 3000, height: 2000, channels: 3 as const };
  const photo = await sharp(randomBytes(3 * raw.width * raw.height), { raw })
    .jpeg({ quality: 98 })
    .toBuffer();
  const attachments = [1, 2].map(number => ({ filename: `${number}.jpg`, content: photo }));
  // Nearly the longest that is read.
  expect(2 * photo.length).toBeGreaterThan(14_000_000);
  const answer = { to, subject: 'Re: The mill' };
  const quote = 'On Sat, Nov 28, 2026 at 9:00, The Lockhouse wrote:\n> The river was high.';
  const mails = [
    await written({ to: 'jonathan@example.com', subject: 'Ours', text: 'Hello.' }),
    await written({ ...answer, text: `We come in August!\n\n${quote}` }),
    await written({ to: postAddress, subject: 'The garden', text: 'In full bloom.', attachments }),
    await written({ ...answer, text: 'word '.repeat(3_000) }),
    ...[1, 2, 3].map(number => reported(about?.from ?? '', number)),
    await written({ ...answer, html: '<p>All of us.</p>' }),
  ];
  for (const mail of mails) await dovecot.deliver(mail);
  await expect.poll(dovecot.unread).toEqual(['Ours']);

  const { comments } = await site.call(admin, 'listComments', { postId: post.id });
  expect(comments.map(({ content }) => content).sort()).toEqual(['All of us.', 'We come in August!']);
  const [garden] = (await site.call(lucy, 'getPosts', {})).posts;
  expect(garden).toMatchObject({ title: 'The garden', authorUsername: 'lucy' });
  expect(garden?.attachments.map(({ name }) => name)).toEqual(['1.jpg', '2.jpg']);
  const { paused } = await site.call(admin, 'getMailState', null);
  expect(paused).toMatchObject([{ username: 'lucy', reason: 'Status 5.1.1' }]);
});
