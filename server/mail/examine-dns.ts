import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';
import { dkimRecord, dkimSelector, hostOf } from './dkim.ts';
import { isLoopback } from './smtp.ts';

/** Records of the DNS; empty for a name that does not exist. */
export type Lookup = {
  texts(name: string): Promise<string[]>;
  mailServers(name: string): Promise<string[]>;
  addresses(name: string): Promise<string[]>;
  names(address: string): Promise<string[]>;
};

/** Whether one record satisfies mail receivers, and if not, what to paste where. */
type DnsFinding = { about: string; isGood: boolean | null; sentence: string };

/** What receivers look up about the sender of a site's mails, and what to change. */
export async function examineDns(
  config: Pick<Config, 'smtpUrl' | 'publicUrl' | 'mailReplyAddress' | 'mailDkimKey'>,
  from: string,
  lookup: Lookup,
): Promise<DnsFinding[]> {
  const host = hostOf(from);
  const replyHost = config.mailReplyAddress === undefined ? host : hostOf(config.mailReplyAddress);
  const site = new URL(config.publicUrl).hostname;
  return [
    await spf(lookup, host),
    ...(replyHost === host ? [] : [await spf(lookup, replyHost)]),
    await dkim(lookup, host, config.mailDkimKey),
    await dmarc(lookup, host),
    await mx(lookup, replyHost),
    // If this machine delivers mails itself, receivers see its address.
    ...(config.smtpUrl !== undefined && isLoopback(config.smtpUrl) ? [await reverse(lookup, site)] : []),
  ];
}

const record = (name: string, text: string) =>
  `Add a TXT record to the DNS, with the name ${name} and the text: ${text}`;

async function spf(lookup: Lookup, host: string): Promise<DnsFinding> {
  const about = `SPF of ${host}`;
  const found = (await lookup.texts(host)).filter(text => /^v=spf1(\s|$)/i.test(text));
  if (found.length > 1)
    return {
      about,
      isGood: false,
      sentence: 'There are several records: receivers take none of them. Make them one.',
    };
  const [text] = found;
  if (text === undefined) {
    const sentence = record(host, 'v=spf1 a mx include:PROVIDER ~all');
    return {
      about,
      isGood: false,
      sentence: `${sentence} (instead of include:PROVIDER what your mail provider says; leave it out if this machine sends).`,
    };
  }
  if (/(^|\s)\+?all(\s|$)/i.test(text))
    return {
      about,
      isGood: false,
      sentence: `It lets everybody send in your name: replace “all” by “~all” in ${text}`,
    };
  return { about, isGood: true, sentence: text };
}

async function dkim(lookup: Lookup, host: string, key: Config['mailDkimKey']): Promise<DnsFinding> {
  const about = `DKIM of ${host}`;
  if (key === undefined) {
    const sentence =
      'MAIL_DKIM_KEY is not set, so your mail provider has to sign: set that up there, or make a key with “coterie mail key”.';
    return { about, isGood: null, sentence };
  }
  const name = `${dkimSelector}._domainkey.${host}`;
  const wanted = dkimRecord(key);
  const publicKey = (text: string) => /\bp=([^;]*)/.exec(text.replaceAll(/\s/g, ''))?.[1];
  const isThere = (await lookup.texts(name)).some(text => publicKey(text) === publicKey(wanted));
  return { about, isGood: isThere, sentence: isThere ? `${name} has the key.` : record(name, wanted) };
}

async function dmarc(lookup: Lookup, host: string): Promise<DnsFinding> {
  const about = `DMARC of ${host}`;
  const labels = host.split('.');
  // Receivers look at the host, and then at the domains above it.
  for (let from = 0; from <= Math.max(0, labels.length - 2); from += 1) {
    const name = `_dmarc.${labels.slice(from).join('.')}`;
    const text = (await lookup.texts(name)).find(found => /^v=DMARC1\b/i.test(found));
    if (text !== undefined) return { about, isGood: true, sentence: text };
  }
  return { about, isGood: false, sentence: record(`_dmarc.${host}`, 'v=DMARC1; p=none') };
}

async function mx(lookup: Lookup, host: string): Promise<DnsFinding> {
  const about = `MX of ${host}`;
  const servers = await lookup.mailServers(host);
  if (servers.length > 0) return { about, isGood: true, sentence: servers.join(', ') };
  return {
    about,
    isGood: false,
    sentence: `Add an MX record for ${host} that names the server which takes its mail: some receivers refuse senders to whom nobody can answer.`,
  };
}

async function reverse(lookup: Lookup, host: string): Promise<DnsFinding> {
  const about = `Reverse name of ${host}`;
  const addresses = isIP(host) ? [host] : await lookup.addresses(host);
  for (const address of addresses) {
    const names = await lookup.names(address);
    const back = await Promise.all(names.map(name => lookup.addresses(name)));
    if (back.some(found => found.includes(address))) continue;
    const sentence = `${address} has no name that leads back to it. Set its reverse DNS (PTR) to ${host}, where you rent the machine.`;
    return { about, isGood: false, sentence };
  }
  const isThere = addresses.length > 0;
  return {
    about,
    isGood: isThere,
    sentence: isThere ? addresses.join(', ') : `${host} has no address in the DNS.`,
  };
}

/** The DNS as this machine sees it. Throws if it cannot be queried. */
export function dnsLookup(): Lookup {
  const resolver = new Resolver({ timeout: 5_000, tries: 2 });
  const ask = async <T>(question: Promise<T[]>): Promise<T[]> =>
    await question.catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
      throw new AppError('unavailable', `The DNS did not answer: ${error.message}.`);
    });
  return {
    texts: async name => (await ask(resolver.resolveTxt(name))).map(parts => parts.join('')),
    mailServers: async name => (await ask(resolver.resolveMx(name))).map(({ exchange }) => exchange),
    addresses: async name => [
      ...(await ask(resolver.resolve4(name))),
      ...(await ask(resolver.resolve6(name))),
    ],
    names: address => ask(resolver.reverse(address)),
  };
}
