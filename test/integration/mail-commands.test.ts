import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deliverDue } from '../../server/mail/deliver.ts';
import { coterie, makeFolder } from '../support/commands.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { openSite } from '../support/site.ts';

const settings = { MAIL_REPLY_ADDRESS: 'reply+{}@blog.example', LOG_LEVEL: 'silent' };

/** A folder with a site, one of whose readers was mailed a post, and the address for their answer. */
async function mailedSite() {
  const folder = await makeFolder();
  const location = { dataDir: join(folder, 'data'), databaseUrl: undefined };
  const s = await openSite(location);
  const admin = await s.admin();
  const lucy = await s.member([], 'lucy');
  await s.call(lucy, 'setSubscription', { subscribed: true });
  const { smtp, deps } = await withSmtp(s);
  const config = { ...deps.config, mailReplyAddress: settings.MAIL_REPLY_ADDRESS };
  const posts = await publish(s, admin, essay(), essay());
  await deliverDue({ ...deps, config });
  await s.close();
  const [address = '', other = ''] = smtp.mails.map(
    ({ source }) => /^Reply-To: (\S+)$/m.exec(source)?.[1] ?? '',
  );
  const comments = async () => {
    const again = await openSite(location);
    const found = [];
    for (const postId of posts) found.push(...(await again.call(lucy, 'listComments', { postId })).comments);
    await again.close();
    return found.map(({ content }) => content).sort();
  };
  return { folder, address, other, comments };
}

const mail = (to: string, words: string, id = '1') =>
  `From: Lucy <lucy@example.com>\nTo: ${to}\nMessage-ID: <${id}@phone.example>\nSubject: Re\n\n${words}\n`;

it('mail receive makes an answer on its input a comment, once, and leaves out one without the secret', async () => {
  const { folder, address, comments } = await mailedSite();
  expect(address).toContain('@blog.example');
  const receive = (input: string, ...args: string[]) =>
    coterie(folder, ['mail', 'receive', ...args], settings, input);
  expect(await receive(mail(address, 'By mail.'))).toEqual({ code: 0, output: 'comment\n' });
  expect(await receive(mail(address, 'By mail.'))).toEqual({ code: 0, output: 'comment\n' });
  const forged = `reply+${'0'.repeat(32)}@blog.example`;
  expect(await receive(mail(forged, 'Forged.', '2'))).toEqual({ code: 0, output: 'ignored\n' });
  expect(await receive('no mail at all')).toEqual({ code: 0, output: 'ignored\n' });
  // A list sends it to hidden recipients: the mail server says to whom.
  const hidden = mail('undisclosed-recipients:;', 'Hidden.', '3');
  expect(await receive(hidden)).toEqual({ code: 0, output: 'ignored\n' });
  expect(await receive(hidden, '--to', address)).toEqual({ code: 0, output: 'comment\n' });
  expect(await comments()).toEqual(['By mail.', 'Hidden.']);
});

it('mail receive takes a mail for each of the addresses that Postfix names at once', async () => {
  const { folder, address, other, comments } = await mailedSite();
  const nobody = `reply+${'0'.repeat(32)}@blog.example`;
  const source = mail('undisclosed-recipients:;', 'To both.');
  expect(
    await coterie(folder, ['mail', 'receive', '--to', address, nobody, other], settings, source),
  ).toEqual({
    code: 0,
    output: 'comment\nignored\n',
  });
  expect(await comments()).toEqual(['To both.', 'To both.']);
});

it('mail receive has the mail server try again where the site cannot take it', async () => {
  const folder = await makeFolder();
  const receive = (given: Record<string, string>) =>
    coterie(folder, ['mail', 'receive'], given, mail('x@blog.example', 'Hello'));
  const [unset, nowhere] = [await receive({}), await receive(settings)];
  // EX_TEMPFAIL of sysexits.h.
  expect(unset).toEqual({
    code: 75,
    output: 'MAIL_REPLY_ADDRESS is not set, so this site takes no mail.\n',
  });
  expect(nowhere).toEqual({ code: 75, output: expect.stringContaining('There is no site in') });
  // A file of settings that is being exchanged, or that this user may not read.
  const missing = await receive({ ...settings, SETTINGS_FILE: join(folder, 'coterie.env') });
  expect(missing).toEqual({ code: 75, output: expect.stringContaining('does not exist') });
});

/** A DNS server on the loopback with these texts; for all other names it answers that there are none. */
async function startDns(texts: Record<string, string>) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const labels: string[] = [];
    for (let at = 12; query[at] !== 0; at += 1 + (query[at] ?? 0))
      labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
    const text = query.readUInt16BE(end - 4) === 16 ? texts[labels.join('.').toLowerCase()] : undefined;
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(text === undefined ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const data = Buffer.from(` ${text ?? ''}`, 'latin1');
    data[0] = data.length - 1;
    // The name of the question, TXT, IN, a minute.
    const answer = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length]);
    socket.send(text === undefined ? head : Buffer.concat([head, answer, data]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(async () => {
    socket.close();
    await once(socket, 'close');
  });
  // The program asks the servers of the machine; here they are this one.
  const server = JSON.stringify([`127.0.0.1:${socket.address().port}`]);
  const module = `import { promises } from 'node:dns';
    const { prototype } = promises.Resolver;
    for (const name of ['resolveTxt', 'resolveMx', 'resolve4', 'resolve6', 'reverse']) {
      const asks = prototype[name];
      prototype[name] = function (...rest) { this.setServers(${server}); return asks.apply(this, rest); };
    }`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` };
}

it('doctor --mail says for each record whether it is there, and what to paste where', async () => {
  const folder = await makeFolder();
  const s = await openSite({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  await s.close();
  const dns = await startDns({
    'blog.example': 'v=spf1 mx ~all',
    '_dmarc.blog.example': 'v=DMARC1; p=none',
  });
  const site = {
    PUBLIC_URL: 'https://blog.example',
    SMTP_URL: 'smtp://localhost',
    MAIL_FROM: 'us@blog.example',
  };
  const { code, output } = await coterie(folder, ['doctor', '--mail'], { ...dns, ...site });
  expect(output).toContain('OK   SPF of blog.example\n     v=spf1 mx ~all\n');
  expect(output).toContain('OK   DMARC of blog.example\n     v=DMARC1; p=none\n');
  expect(output).toContain('FIX  MX of blog.example\n     Add an MX record for blog.example');
  expect(output).toContain('FIX  Reverse name of blog.example\n');
  expect(code).toBe(1);
});
