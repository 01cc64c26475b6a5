import { expect, it } from 'vitest';
import { dkimRecord, makeDkimKey, readDkimKey } from './dkim.ts';
import { examineDns, type Lookup } from './examine-dns.ts';

const mailDkimKey = readDkimKey(makeDkimKey().text);
const site = {
  smtpUrl: 'smtp://localhost',
  publicUrl: 'https://blog.example',
  mailReplyAddress: undefined,
  mailDkimKey,
};
const from = 'Mina Harker <mina@blog.example>';

type Zone = Record<string, string[]>;
const lookupOf = (zone: Zone): Lookup => {
  const ask = (kind: string) => async (name: string) => zone[`${kind} ${name}`] ?? [];
  return { texts: ask('TXT'), mailServers: ask('MX'), addresses: ask('A'), names: ask('PTR') };
};

const good: Zone = {
  'TXT blog.example': ['something else', 'v=spf1 mx ~all'],
  'TXT coterie._domainkey.blog.example': [mailDkimKey === undefined ? '' : dkimRecord(mailDkimKey)],
  'TXT _dmarc.blog.example': ['v=DMARC1; p=none'],
  'MX blog.example': ['mx.blog.example'],
  'A blog.example': ['192.0.2.1'],
  'A mx.blog.example': ['192.0.2.1'],
  'PTR 192.0.2.1': ['mx.blog.example'],
};

const wrong = async (zone: Zone, config: Partial<typeof site> = {}) =>
  (await examineDns({ ...site, ...config }, from, lookupOf(zone)))
    .filter(({ isGood }) => isGood !== true)
    .map(({ about, sentence }) => `${about}: ${sentence}`);

it('nothing is to be done where all records are there', async () => {
  expect(await wrong(good)).toEqual([]);
});

it('each record that is missing is named with what to paste where', async () => {
  expect(await wrong({})).toEqual([
    expect.stringMatching(/^SPF of blog\.example: .*name blog\.example and the text: v=spf1 /),
    expect.stringMatching(
      /^DKIM of .*name coterie\._domainkey\.blog\.example and the text: v=DKIM1; k=rsa; p=MII/,
    ),
    expect.stringMatching(/^DMARC of .*name _dmarc\.blog\.example and the text: v=DMARC1; p=none$/),
    expect.stringMatching(/^MX of blog\.example: Add an MX record/),
    'Reverse name of blog.example: blog.example has no address in the DNS.',
  ]);
});

it.each<[string, Zone, RegExp]>([
  ['two records of SPF', { 'TXT blog.example': ['v=spf1 mx ~all', 'v=spf1 a ~all'] }, /several records/],
  ['SPF for everybody', { 'TXT blog.example': ['v=spf1 +all'] }, /everybody/],
  ['the key of another', { 'TXT coterie._domainkey.blog.example': ['v=DKIM1; p=AAAA'] }, /DKIM of/],
  ['a reverse name that leads elsewhere', { 'A mx.blog.example': ['192.0.2.9'] }, /192\.0\.2\.1 has no name/],
])('an admin is told of %s', async (_, zone, sentence) => {
  expect(await wrong({ ...good, ...zone })).toEqual([expect.stringMatching(sentence)]);
});

it('a record of the domain to which a host belongs counts', async () => {
  const zone = { 'TXT _dmarc.blog.example': ['v=DMARC1; p=reject'] };
  const found = await examineDns(site, 'mina@news.blog.example', lookupOf(zone));
  expect(found.find(({ about }) => about.startsWith('DMARC'))?.isGood).toBe(true);
});

it('the relay of a provider has a reverse name of its own, and signs where the site has no key', async () => {
  const zone = { ...good, 'PTR 192.0.2.1': [], 'TXT coterie._domainkey.blog.example': [] };
  // Whether the provider signs cannot be seen from here.
  expect(await wrong(zone, { smtpUrl: 'smtps://mail.example', mailDkimKey: undefined })).toEqual([
    expect.stringContaining('MAIL_DKIM_KEY is not set'),
  ]);
});
