import 'reflect-metadata';
import { X509CertificateGenerator } from '@peculiar/x509';
import { afterEach, expect, it } from 'vitest';
import { initialSettings } from '../../contract/site-settings.ts';
import { readConfig } from '../../server/config.ts';
import { testMail } from '../../server/mail/compose.ts';
import { smtpConnections } from '../../server/mail/smtp.ts';
import { MailRefused, mailTransport } from '../../server/mail/transport.ts';
import { startSmtp } from '../support/smtp.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/**
 * Sends a mail to a server that offers no STARTTLS unless `tls` is given, by this host and query of its
 * address. Returns what it has got.
 */
async function sendTo(
  host: string,
  query: string,
  settings: Record<string, string> = {},
  {
    address = 'mina@example.com',
    ...server
  }: { address?: string; isAscii?: boolean; tls?: { key: string; cert: string } } = {},
) {
  const smtp = await startSmtp(server);
  cleanups.push(smtp.stop);
  const config = readConfig({
    SMTP_URL: `smtp://${host}:${smtp.port}${query}`,
    MAIL_FROM: 'blog@example.org',
    ...settings,
  });
  const mail = mailTransport(config, async () => initialSettings);
  const to = { name: 'Mina', address };
  const sent = await mail
    .send(async () => ({ id: 'x', to, ...testMail({ ...config, ...initialSettings }) }))
    .catch((error: unknown) => error);
  mail.close();
  return { got: smtp.mails.length, sent, mail: smtp.mails[0] };
}

it('the site sends nothing unencrypted to another machine, even if it offers no TLS', async () => {
  // An address of this machine that no loopback rule names.
  const { got, sent } = await sendTo('0.0.0.0', '');
  expect([got, sent]).toEqual([0, expect.any(MailRefused)]);
  expect((sent as MailRefused).scope).toBe('server');
});

it('the site sends unencrypted on this machine, and if the address says so', async () => {
  expect(await sendTo('127.0.0.1', '')).toMatchObject({ got: 1, sent: undefined });
  expect(await sendTo('0.0.0.0', '?requireTLS=false')).toMatchObject({ got: 1, sent: undefined });
  expect((await sendTo('127.0.0.1', '?requireTLS=true')).got).toBe(0);
});

/** A key, and a certificate that it has signed itself, as Debian makes one for each machine. */
async function ownCertificate() {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await X509CertificateGenerator.createSelfSigned({ name: 'CN=machine', keys });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`,
    cert: cert.toString('pem'),
  };
}

it('any certificate is accepted of a mail server on this machine, and of no other', async () => {
  const tls = await ownCertificate();
  expect(await sendTo('127.0.0.1', '', {}, { tls })).toMatchObject({ got: 1, sent: undefined });
  const { got, sent } = await sendTo('0.0.0.0', '', {}, { tls });
  expect([got, String(sent)]).toEqual([0, expect.stringContaining('self-signed certificate')]);
});

it.each([
  ['https://blog.example', '', 'blog.example'],
  ['https://müller.example/', '', 'xn--mller-kva.example'],
  ['http://192.0.2.1:3000', '', '[192.0.2.1]'],
  ['http://[2001:db8::1]:3000', '', '[ipv6:2001:db8::1]'],
  ['https://blog.example', '?name=relay.example', 'relay.example'],
])('the site greets the mail server of %s%s as %s', async (publicUrl, query, greeting) => {
  const { mail } = await sendTo('127.0.0.1', query, { PUBLIC_URL: publicUrl });
  // In lower case, as the test's server tells it.
  expect(mail?.greeting).toBe(greeting);
});

it('the site marks a mail as written by a program, so that no program answers it', async () => {
  const { mail } = await sendTo('127.0.0.1', '');
  expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(mail?.source).toMatch(/^X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply\r$/m);
});

it('the site sends to letters of all scripts where the server takes them, and refuses that mail with a sentence elsewhere', async () => {
  const address = 'jürgen@xn--exmple-cua.de';
  expect(await sendTo('127.0.0.1', '', {}, { address })).toMatchObject({ got: 1, sent: undefined });
  const { got, sent } = await sendTo('127.0.0.1', '', {}, { address, isAscii: true });
  expect([got, sent]).toEqual([0, expect.any(MailRefused)]);
  expect(sent).toMatchObject({
    scope: 'recipient',
    message: expect.stringMatching(/only addresses with the letters a to z before the @, and not jürgen@/),
  });
  // A host is sent in ASCII, which every server takes.
  const ascii = await sendTo('127.0.0.1', '', {}, { address: 'mina@exämple.de', isAscii: true });
  expect(ascii.mail?.source).toContain('<mina@xn--exmple-cua.de>');
});

it('a connection that is kept through many refusals gathers no listeners', async () => {
  const smtp = await startSmtp({ answer: () => 'refuse' });
  cleanups.push(smtp.stop);
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.message);
  process.on('warning', note);
  const connections = smtpConnections(smtp.url, 'blog.example');
  const envelope = { from: 'blog@example.org', to: 'mina@example.com' };
  for (let times = 0; times < 12; times += 1) {
    const { send } = await connections.take();
    await expect(send(envelope, Buffer.from('Subject: x\r\n\r\nx'))).rejects.toMatchObject({
      command: 'RCPT TO',
    });
  }
  connections.close();
  // Warnings are told after the code that causes them.
  await new Promise(resolve => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
