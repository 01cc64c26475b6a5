import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { cutAtWord } from '../../contract/text.ts';
import { type Asking, askServer, bounded, isPublic } from '../base/outgoing.ts';

/** A page's description of itself. */
export type PageTold = { title: string; sentence: string; picture: URL | undefined };

/** Which network addresses and ports may be connected to; tests allow their own server. */
export type Reach = Pick<Asking, 'isAllowed'> & { isAllowedPort(port: string): boolean };
/**
 * Only the ports of http and https: at others there may be services that a firewall hides from everybody
 * else.
 */
export const publicReach: Reach = { isAllowed: isPublic, isAllowedPort: port => port === '' };

const maxRedirects = 3;
const idleMs = 5_000;
const wholeMs = 10_000;
/** The description is at the beginning of a page. Bytes. */
const headBytes = 64 * 1024;
/** A longer tag is not read. Characters. */
const tagCharacters = 1_000;
const titleCharacters = 120;
const sentenceCharacters = 240;

/**
 * Reads the description of a page on the public Internet. Throws an error with the reason if the page cannot
 * be read or has none.
 */
export async function readPage(url: URL, reach: Reach): Promise<PageTold> {
  const { response, from } = await ask(url, 'text/html', reach);
  const type = response.headers['content-type'] ?? '';
  if (!/^text\/html\b/i.test(type)) {
    response.destroy();
    throw new Error(`it is ${type || 'of no type'}, and no page`);
  }
  return toldBy(await beginning(response, type), from);
}

/** Reads a picture on the public Internet. Throws as {@link readPage} does, also if it is too large. */
export async function readPicture(url: URL, maxBytes: number, reach: Reach): Promise<Buffer> {
  const { response } = await ask(url, 'image/*', reach);
  return await buffer(bounded(maxBytes)(response));
}

async function ask(
  url: URL,
  accept: string,
  reach: Reach,
  redirectsLeft = maxRedirects,
): Promise<{ response: IncomingMessage; from: URL }> {
  if (!reach.isAllowedPort(url.port)) throw new Error(`it is at port ${url.port}`);
  const response = await askServer(url, {
    accept,
    agent: 'Coterie link card',
    idleMs,
    wholeMs,
    isOfMembers: true,
    ...reach,
  });
  const { statusCode = 0, headers } = response;
  if (statusCode === 200) return { response, from: url };
  response.destroy();
  const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
  if (!isRedirect) throw new Error(`the server answered ${statusCode}`);
  const next = URL.parse(headers.location ?? '', url);
  if (next === null || !/^https?:$/.test(next.protocol)) throw new Error('it is redirected elsewhere');
  if (redirectsLeft === 0) throw new Error('it is redirected too often');
  return await ask(next, accept, reach, redirectsLeft - 1);
}

/** The text up to the page's body. */
async function beginning(response: IncomingMessage, type: string): Promise<string> {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= headBytes) break;
  }
  const decoder = isKnown(charset) ? new TextDecoder(charset) : new TextDecoder();
  const text = decoder.decode(Buffer.concat(chunks).subarray(0, headBytes));
  return text.split(/<\/head>|<body[\s>]/i)[0] ?? '';
}

function isKnown(charset: string): boolean {
  return /^(?:utf-?8|iso-8859-\d{1,2}|windows-125\d|latin1|us-ascii|shift_jis|euc-(?:jp|kr)|gb(?:k|18030|2312)|big5|koi8-[ru])$/i.test(
    charset,
  );
}

function toldBy(head: string, page: URL): PageTold {
  const said = new Map<string, string>();
  const keep = (name: string, value: string) => {
    const words = value.replaceAll(/\s+/g, ' ').trim();
    if (words !== '' && !said.has(name)) said.set(name, words);
  };
  for (const [tag] of head.matchAll(metaTag)) {
    const { property = '', name = property, content = '' } = attributesOf(tag);
    keep((property || name).toLowerCase(), content);
  }
  keep('title', decoded(titleIn(head)));
  const first = (...names: string[]) => names.map(name => said.get(name)).find(Boolean) ?? '';
  const title = cutAtWord(first('og:title', 'twitter:title', 'title'), titleCharacters);
  if (title === '') throw new Error('it has no title');
  const shown = first('og:image', 'og:image:url', 'twitter:image');
  const picture = shown === '' ? null : URL.parse(shown, page);
  return {
    title,
    sentence: cutAtWord(first('og:description', 'description', 'twitter:description'), sentenceCharacters),
    picture: picture !== null && /^https?:$/.test(picture.protocol) ? picture : undefined,
  };
}

// The head may be hostile: no pattern looks at a character more often than a tag is long.
const metaTag = new RegExp(`<meta\\s[^>]{0,${tagCharacters}}>`, 'gi');
const attribute = /(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

function attributesOf(tag: string): Partial<Record<string, string>> {
  const found = [...tag.matchAll(attribute)].map(([, name = '', ...values]) => [
    name.toLowerCase(),
    decoded(values.find(value => value !== undefined) ?? ''),
  ]);
  return Object.fromEntries(found);
}

function titleIn(head: string): string {
  const start = head.search(/<title[\s>]/i);
  const words = start < 0 ? '' : head.slice(head.indexOf('>', start) + 1, start + tagCharacters);
  return words.split('<')[0] ?? '';
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : '';
  });
}
