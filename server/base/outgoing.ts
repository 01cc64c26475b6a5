import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** How a server elsewhere is asked for something whose address others have chosen. */
export type Asking = {
  accept: string;
  /** Who asks. */
  agent: string;
  /** How long the server may say nothing, and how long the whole may take, in milliseconds. */
  idleMs: number;
  wholeMs: number;
  /** Whether a network address may be connected to. */
  isAllowed: (address: string) => boolean;
  /** What is sent, by POST unless it says otherwise; without it the server is asked by GET. */
  post?: { method?: 'POST' | 'PUT'; headers: Readonly<Record<string, string | number>>; body: Buffer };
};

/**
 * Asks a server, and connects only to an address that is allowed, whatever the name of the host. A
 * redirect is answered as it is: each host is checked anew.
 */
export async function askServer(
  url: URL,
  { accept, agent, idleMs, wholeMs, isAllowed, post }: Asking,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // An address in place of a name is connected to without being looked up.
  if (isIP(host) !== 0 && !isAllowed(host)) throw new Error(`${host} is not on the public Internet`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(
    url,
    {
      lookup: lookupOf(isAllowed),
      // Connections are not reused: each host is checked anew.
      agent: false,
      timeout: idleMs,
      signal: AbortSignal.timeout(wholeMs),
      method: post === undefined ? 'GET' : (post.method ?? 'POST'),
      headers: { accept, 'user-agent': agent, ...post?.headers },
    },
    resolve,
  );
  request.on('timeout', () => request.destroy(new Error('the server does not answer')));
  // Where a host has several addresses, the error of all of them has no message of its own.
  request.on('error', error => reject(error instanceof AggregateError ? error.errors[0] : error));
  request.end(post?.body);
  return await promise;
}

/**
 * Looks up the host for the connection itself, so that the connection goes to the address that was checked.
 */
function lookupOf(isAllowed: Asking['isAllowed']): LookupFunction {
  return (host, options, answer) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return answer(error, '');
      const inner = addresses.find(({ address }) => !isAllowed(address));
      if (inner !== undefined) return answer(new Error(`${host} is not on the public Internet`), '');
      if (options.all === true) return answer(null, addresses);
      const [first] = addresses;
      return first === undefined
        ? answer(new Error(`${host} has no address`), '')
        : answer(null, first.address, first.family);
    });
  };
}

/** Passes no more than so many bytes on. */
export function bounded(maxBytes: number) {
  return async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let passed = 0;
    for await (const chunk of bytes) {
      passed += chunk.length;
      if (passed > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
      yield chunk;
    }
  };
}

/**
 * Neither this machine nor its network nor an address for special uses, also where IPv6 wraps one of IPv4.
 */
export function isPublic(address: string): boolean {
  try {
    const parsed = ipaddr.process(address);
    // Only these addresses of IPv6 are given out: others may hold one of IPv4, such as ::7f00:1.
    return (
      parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3')))
    );
  } catch {
    return false;
  }
}
