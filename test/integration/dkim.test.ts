import { createHash, createPublicKey, createVerify } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { dkimRecord, makeDkimKey, readDkimKey } from '../../server/mail/dkim.ts';
import { mailTransport } from '../../server/mail/transport.ts';
import { startSmtp } from '../support/smtp.ts';

const relaxed = (line: string) => line.replace(/[ \t]+/g, ' ').replace(/ $/, '');

/** A header of a mail with its name, as it is signed (RFC 6376, 3.4.2). */
function signedHeader(head: string, name: string): string {
  const unfolded = head.replaceAll(/\r\n(?=[ \t])/g, '');
  const value = new RegExp(`^${name}:(.*)$`, 'im').exec(unfolded)?.[1] ?? '';
  return `${name.toLowerCase()}:${relaxed(value).trim()}`;
}

it('a mail is signed for the domain of its sender, with what one-click unsubscribing needs', async () => {
  const mailDkimKey = readDkimKey(makeDkimKey().text);
  if (mailDkimKey === undefined) throw new Error('The key cannot be read.');
  const smtp = await startSmtp();
  const config = {
    publicUrl: 'https://www.blog.example',
    mailFrom: 'Mina <mina@blog.example>',
    dataDir: '.',
  };
  const mail = mailTransport({ ...config, smtpUrl: smtp.url, mailDkimKey }, async () => ({
    title: 'A blog',
  }));
  onTestFinished(async () => {
    mail.close();
    await smtp.stop();
  });
  await mail.send(async () => ({
    id: 'an-id',
    to: { name: 'Lucy', address: 'lucy@example.com' },
    subject: 'On rivers',
    text: 'They come from the hills.\n',
    html: '<p>They come from the hills.</p>',
    headers: {
      'List-Unsubscribe': '<https://blog.example/x>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }));
  const [head = '', ...parts] = (smtp.mails[0]?.source ?? '').split('\r\n\r\n');
  const signature = signedHeader(head, 'DKIM-Signature');
  const field = (name: string) =>
    new RegExp(`[ ;:]${name}=([^;]*)`).exec(signature)?.[1]?.replaceAll(' ', '') ?? '';
  expect([field('d'), field('s'), field('c')]).toEqual(['blog.example', 'coterie', 'relaxed/relaxed']);
  const signed = field('h').toLowerCase().split(':');
  expect(signed).toEqual(
    expect.arrayContaining(['from', 'subject', 'list-unsubscribe', 'list-unsubscribe-post']),
  );
  const body = `${parts
    .join('\r\n\r\n')
    .split('\r\n')
    .map(relaxed)
    .join('\r\n')
    .replace(/(\r\n)+$/, '')}\r\n`;
  expect(field('bh')).toBe(createHash('sha256').update(body).digest('base64'));
  const withoutValue = signature.replace(/([ ;])b=[^;]*/, '$1b=');
  const text = [...signed.map(name => signedHeader(head, name)), withoutValue].join('\r\n');
  const record = /p=(.*)/.exec(dkimRecord(mailDkimKey))?.[1] ?? '';
  const key = createPublicKey({ key: Buffer.from(record, 'base64'), type: 'spki', format: 'der' });
  expect(createVerify('sha256').update(text).verify(key, field('b'), 'base64')).toBe(true);
});

it('what is no private RSA key is refused', () => {
  expect(readDkimKey('nonsense')).toBeUndefined();
  expect(readDkimKey('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----')).toBeUndefined();
});
