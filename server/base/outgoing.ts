import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';

/** A name server is asked twice, and waited for as long each time. Milliseconds. */
const nameServerMs = 2_000;

/** A request to another server, at an address that others have chosen. */
export type Asking = {
  accept: string;
  agent: string;
  /** How long the server may be silent, and how long the whole request may take, in milliseconds. */
  idleMs: number;
  wholeMs: number;
  /** Whether a network address may be connected to. */
  isAllowed: (address: string) => boolean;
  /**
   * Members choose the host. Its name server may be slow on purpose, so the system is not asked: the hosts of
   * SMTP, S3 and PostgreSQL would wait in its few threads.
   */
  isOfMembers?: boolean;
  /**
   * The request's body and headers, sent by POST unless `method` says otherwise; without it the request is a
   * GET.
   */
  post?: { method?: 'POST' | 'PUT'; headers: Readonly<Record<string, string | number>>; body: Buffer };
};

/**
 * Sends a request, only to a network address that is allowed, whatever the host's name. Redirects are
 * returned, not followed: each host must be checked.
 */
export async function askServer(
  url: URL,
  { accept, agent, idleMs, wholeMs, isAllowed, isOfMembers = false, post }: Asking,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // A host that is an IP address is not looked up, so it is checked here.
  if (isIP(host) !== 0 && !isAllowed(host)) throw new Error(`${host} is not on the public Internet`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(
    url,
    {
      lookup: lookupOf(isAllowed, isOfMembers ? askNameServers : askSystem),
      // Connections are not reused: each host must be checked.
      agent: false,
      timeout: idleMs,
      signal: AbortSignal.timeout(wholeMs),
      method: post === undefined ? 'GET' : (post.method ?? 'POST'),
      headers: { accept, 'user-agent': agent, ...post?.headers },
    },
    resolve,
  );
  request.on('timeout', () => request.destroy(new Error('the server does not answer')));
  // The combined error of a host with several addresses has no message of its own.
  request.on('error', error => reject(error instanceof AggregateError ? error.errors[0] : error));
  request.end(post?.body);
  return await promise;
}

/** Looks up the host for the connection itself, so that it goes to the address that was checked. */
function lookupOf(isAllowed: Asking['isAllowed'], find: Find): LookupFunction {
  return (host, options, answer) => {
    find(host, options).then(
      addresses => {
        const inner = addresses.find(({ address }) => !isAllowed(address));
        if (inner !== undefined) return answer(new Error(`${host} is not on the public Internet`), '');
        if (options.all === true) return answer(null, addresses);
        const [first] = addresses;
        return first === undefined
          ? answer(new Error(`${host} has no address`), '')
          : answer(null, first.address, first.family);
      },
      (error: Error) => answer(error, ''),
    );
  };
}

type Find = (host: string, options: LookupOptions) => Promise<LookupAddress[]>;

const askSystem: Find = async (host, options) => await promisify(lookup)(host, { ...options, all: true });

/** Each time by a resolver of its own, which reads the system's name servers anew. */
const askNameServers: Find = async host => {
  const resolver = new Resolver({ timeout: nameServerMs, tries: 2 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  const found = (of: PromiseSettledResult<string[]>) => (of.status === 'fulfilled' ? of.value : []);
  return [
    ...found(v4).map(address => ({ address, family: 4 })),
    ...found(v6).map(address => ({ address, family: 6 })),
  ];
};

/** Passes at most this many bytes on. */
export function bounded(maxBytes: number) {
  return async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let passed = 0;
    for await (const chunk of bytes) {
      passed += chunk.length;
      if (passed > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MB`);
      yield chunk;
    }
  };
}

/**
 * Whether an address is public: not of this machine, its network or a special range, even if IPv6 wraps one
 * of IPv4.
 */
export function isPublic(address: string): boolean {
  try {
    const parsed = ipaddr.process(address);
    // Only these IPv6 addresses are assigned; others may wrap an IPv4 address, such as ::7f00:1.
    return (
      parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3')))
    );
  } catch {
    return false;
  }
}
