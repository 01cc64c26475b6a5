import { randomBytes } from 'node:crypto';
import { chmod, rename } from 'node:fs/promises';
import { createTransport, type SendMailOptions } from 'nodemailer';
import PostalMime from 'postal-mime';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { essay } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { startSmtp } from '../support/smtp.ts';
import { hasExim, startExim } from './exim.ts';
import { documented, install, type Machine } from './machine.ts';
import { hasPostfix, startPostfix } from './postfix.ts';

/** The port of a provider that has none of the mailboxes to which one writes. */
const refusingPort = async () => (await startSmtp({ answer: () => 'refuse' })).port;

async function postfixMachine(): Promise<Machine> {
  const port = await freePort();
  const site = await install({ SMTP_URL: `smtp://127.0.0.1:${port}` });
  const elsewhere = `inline:{ { elsewhere.example = smtp:[127.0.0.1]:${await refusingPort()} } }`;
  const settings = documented('recipient_delimiter', site);
  const main = settings.replace(/^transport_maps = .*$/m, line => `${line} ${elsewhere}`);
  const master = documented('coterie unix -', site);
  return {
    site,
    server: await startPostfix({ port, main: `message_size_limit = 40000000\n${main}`, master }),
  };
}

async function eximMachine(): Promise<Machine> {
  const port = await freePort();
  const site = await install({ SMTP_URL: `smtp://127.0.0.1:${port}` });
  const [router = '', transport = ''] = documented('driver = accept', site).split('\n\n');
  return { site, server: await startExim(port, { router, transport, refusingPort: await refusingPort() }) };
}

const machines = [
  ...(hasPostfix ? [['Postfix', postfixMachine] as const] : []),
  ...(hasExim ? [['Exim', eximMachine] as const] : []),
];

/**
 * A reader and an author, whose mailbox is gone, on a machine with a mail server of its own, which all three
 * use.
 */
async function scene(start: () => Promise<Machine>) {
  const { site, server } = await start();
  const people = await site.fill(async s => {
    const admin = await s.admin();
    const [lucy, mina] = [await s.member([], 'lucy'), await s.member([], 'mina')];
    await s.call(admin, 'setAuthor', { userId: mina.id, isAuthor: true });
    const { db } = s.deps;
    await db.updateTable('users').set({ email_verified: true }).execute();
    const gone = { email: 'mina@elsewhere.example' };
    await db.updateTable('users').set(gone).where('id', '=', mina.id).execute();
    await db.deleteFrom('mails').execute();
    await s.call(lucy, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
    await s.call(admin, 'setMailWish', { kind: 'own-posts', isOn: false });
    return { admin, lucy, mina };
  });
  await site.start();
  // Exim makes a certificate of its own.
  const transport = createTransport({ url: server.url, tls: { rejectUnauthorized: false } });
  const publish = async () => {
    const post = { ...essay({ title: 'Up to the mill' }), isDraft: false };
    return (await site.call(people.admin, 'createPost', post)).post.id;
  };
  const mails = async () => (await server.mails()).filter(mail => !mail.includes('\nX-Failed-Recipients:'));
  /** Publishes a post. Returns it, and the address by which Lucy answers the mail about it. */
  const toldLucy = async () => {
    const postId = await publish();
    await expect.poll(async () => (await mails()).length).toBe(1);
    const [mail = ''] = await mails();
    return { postId, to: /^Reply-To: (\S+)$/m.exec(mail)?.[1] ?? '' };
  };
  return {
    ...people,
    site,
    server,
    publish,
    toldLucy,
    mails,
    send: (mail: SendMailOptions) =>
      transport.sendMail({ from: 'Lucy <lucy@example.com>', subject: 'Re: Up to the mill', ...mail }),
    comments: async (postId: string) =>
      (await site.call(people.admin, 'listComments', { postId })).comments.map(({ content }) => content),
    /** Waits until the mail server has nothing left to hand over. */
    untilEmpty: () => expect.poll(server.queue).toBe(''),
  };
}

it.runIf(machines.length === 0)('neither Postfix nor Exim is installed: apt-get install postfix', () => {
  expect.unreachable('npm run test:mail needs Postfix or Exim.');
});

it.each(machines)('an answer that %s hands over as documented stands on the page', async (_, machine) => {
  const { site, admin, lucy, toldLucy, send, comments, mails, untilEmpty } = await scene(machine);
  const { postId, to } = await toldLucy();
  const nobody = to.replace(/\+./, start => (start === '+0' ? '+1' : '+0'));
  await send({ to: [nobody, to], text: 'We come in August!' });
  await expect.poll(() => comments(postId)).toEqual(['We come in August!']);
  const page = await site.page(`/post/${postId}?comments=1`, lucy);
  expect(page.includes('We come in August!')).toBe(true);

  // Passed over without a word.
  await send({ to: nobody, text: 'To nobody' });
  await send({ to, text: 'I am away', headers: { 'Auto-Submitted': 'auto-replied' } });
  await send({ to, text: 'By another', from: 'Mallory <mallory@example.com>' });
  await send({ to, text: 'A report', envelope: { from: '', to } });
  await untilEmpty();
  expect(await mails()).toHaveLength(1);

  await send({ to, text: 'word '.repeat(3_000) });
  await expect.poll(async () => (await mails()).length).toBe(2);
  const refused = await Promise.all((await mails()).map(mail => PostalMime.parse(mail)));
  expect(refused.map(({ text }) => text).join()).toContain('A comment has at most 5,000 characters.');
  await site.call(admin, 'denyUser', { userId: lucy.id });
  await send({ to, text: 'After the denial' });
  await untilEmpty();
  expect(await comments(postId)).toEqual(['We come in August!']);
  expect(await mails()).toHaveLength(2);
});

it.each(machines)(
  '%s keeps an answer that the site cannot take, and hands it over once',
  async (_, machine) => {
    const { site, server, toldLucy, send, comments, mails, untilEmpty } = await scene(machine);
    const { postId, to } = await toldLucy();
    // The command needs no running server.
    await site.stop();
    const broken: [string, () => Promise<void>, () => Promise<void>][] = [
      ['its data folder is away', site.hide, site.show],
      ['its settings cannot be read', () => chmod(site.env, 0o600), () => chmod(site.env, 0o644)],
      ...[site.program, site.built].map((file): (typeof broken)[number] => [
        `${file} is being exchanged`,
        () => rename(file, `${file}-old`),
        () => rename(`${file}-old`, file),
      ]),
    ];
    /** How often the mail server could not hand over a mail, for now or for good. */
    const failures = async () =>
      (await server.log()).match(/status=(?:deferred|bounced)| == | \*\* /g)?.length ?? 0;
    for (const [text, breaks, mends] of broken) {
      await breaks();
      const before = await failures();
      await send({ to, text });
      await expect.poll(failures).toBeGreaterThan(before);
      expect({ text, isKept: (await server.queue()) !== '' }).toEqual({ text, isKept: true });
      await mends();
      await server.flush();
      await untilEmpty();
    }
    await site.start();
    expect((await comments(postId)).sort()).toEqual(broken.map(([text]) => text).sort());
    expect(await mails()).toHaveLength(1);
  },
);

it.each(machines)('%s hands over posts with photos, and mails that came back', async (_, machine) => {
  const { site, admin, lucy, mina, send, publish, untilEmpty } = await scene(machine);
  const { email: to } = await site.call(mina, 'makePostAddress', { publishes: true });
  const raw = { width: 2000, height: 1500, channels: 3 as const };
  const photo = await sharp(randomBytes(3 * raw.width * raw.height), { raw })
    .jpeg({ quality: 98 })
    .toBuffer();
  const attachments = [1, 2].map(number => ({ filename: `${number}.jpg`, content: photo }));
  // Longer than Postfix takes unless it is told to.
  expect(2 * photo.length).toBeGreaterThan(7_000_000);
  const mail = { subject: 'The garden', text: 'In full bloom.\n\nAll of it.' };
  await send({ ...mail, from: 'Mina <mina@elsewhere.example>', to, attachments });
  await untilEmpty();
  const [post] = (await site.call(lucy, 'getPosts', {})).posts;
  expect(post).toMatchObject({ title: 'The garden', authorUsername: 'mina' });
  expect(post?.attachments.map(({ name }) => name)).toEqual(['1.jpg', '2.jpg']);

  await site.call(mina, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
  for (let sent = 0; sent < 3; sent += 1) await publish();
  const paused = async () => (await site.call(admin, 'getMailState', null)).paused;
  await expect.poll(paused).toMatchObject([{ username: 'mina', reason: expect.stringContaining('5.1.1') }]);
});
