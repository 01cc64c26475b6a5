import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Addresses and networks in a setting. */
export type Networks = { include(address: string): boolean };

/** Addresses and networks (`10.0.0.0/8`), separated by commas. Throws for one that is neither. */
export function parseNetworks(text: string): Networks {
  const entries = text.split(',').map(entry => entry.trim());
  const networks = entries
    .filter(entry => entry !== '')
    .map(entry => {
      const isNetwork = entry.includes('/');
      if (isIP(entry.split('/')[0] ?? '') === 0) throw new Error(`${entry} is no address.`);
      if (isNetwork) return ipaddr.parseCIDR(entry);
      const address = ipaddr.process(entry);
      return [address, address.kind() === 'ipv6' ? 128 : 32] as const;
    });
  return {
    include: address => {
      const found = parse(address);
      return (
        found !== undefined &&
        networks.some(([base, bits]) => base.kind() === found.kind() && found.match(base, bits))
      );
    },
  };
}

/**
 * The client address of a request: the address of its connection, or, if that is a trusted proxy, the last
 * address in the header that is not a trusted proxy. A client can only write in front of its own address in
 * the header, so it cannot forge the result.
 */
export function peerAddress(remote: string, forwardedFor: string | null, trusted: Networks): string {
  let peer = parse(remote)?.toString() ?? remote;
  const hops = (forwardedFor ?? '').split(',').map(withoutPort);
  while (trusted.include(peer)) {
    const next = parse(hops.pop() ?? '')?.toString();
    if (next === undefined) break;
    peer = next;
  }
  return peer;
}

/** The network of a request's client, as limits count it. */
export function networkOfRequest({ socket, headers }: IncomingMessage, trusted: Networks): string {
  const forwardedFor = headers['x-forwarded-for']?.toString() ?? null;
  return networkOf(peerAddress(socket.remoteAddress ?? '', forwardedFor, trusted));
}

/**
 * The network that limits count as one client: an IPv4 address, or the /56 of an IPv6 address, the least that
 * a household is given. Somebody with a /48 has 256 of them, so limits count the /48 as well
 * ({@link networksOf}).
 */
export function networkOf(address: string): string {
  const found = parse(address);
  if (found?.kind() !== 'ipv6') return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${found.toString()}/56`).toString()}/56`;
}

/**
 * How many times the limit of one network the /48 around it has: an office has many readers, and an attacker
 * can use 256 networks.
 */
const widerTimes = 8;

/**
 * The networks that a request counts for: its own, and for IPv6 (`2001:db8:0:100::/56`) also the /48 that
 * contains it.
 */
export function networksOf(network: string): { name: string; times: number }[] {
  const own = { name: network, times: 1 };
  if (!network.endsWith('/56')) return [own];
  const wider = ipaddr.IPv6.networkAddressFromCIDR(network.replace(/\/56$/, '/48'));
  return [own, { name: `${wider.toString()}/48`, times: widerTimes }];
}

/**
 * Parses an address in any notation; an IPv4-mapped IPv6 address becomes the IPv4 address. Undefined for
 * anything else.
 */
function parse(address: string): Address | undefined {
  return parsed.memo(address) || undefined;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Cached: each request parses its address several times, which took a seventh of a short answer. */
const parsed = new LRUCache<string, Address | false>({
  max: 500,
  memoMethod: address => {
    const [bare = ''] = address.split('%');
    return isIP(bare) !== 0 && ipaddr.process(bare);
  },
});

function withoutPort(hop: string): string {
  const text = hop.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  return bracketed?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
