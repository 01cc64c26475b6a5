import { BlockList, isIP, SocketAddress } from 'node:net';

/** Addresses and networks (`10.0.0.0/8`), separated by commas. Throws for one that is neither. */
export function parseProxies(text: string): BlockList {
  const list = new BlockList();
  for (const part of text.split(',').map(entry => entry.trim())) {
    if (part === '') continue;
    const [address = '', prefix] = part.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/**
 * The real peer of a request: the address of its connection, or, where that is a trusted proxy, the last address that
 * such a proxy did not add itself. What a client writes into the header before its own address counts for nothing.
 */
export function peerAddress(remote: string, forwardedFor: string | null, trusted: BlockList): string {
  let peer = canonical(remote) ?? remote;
  const hops = (forwardedFor ?? '').split(',').map(withoutPort);
  while (isTrusted(peer, trusted)) {
    const next = canonical(hops.pop() ?? '');
    if (next === undefined) break;
    peer = next;
  }
  return peer;
}

/** Who is limited together: an IPv4 address, or the /64 of an IPv6 address, which one household owns whole. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** One spelling an address; an IPv4 address in IPv6's clothes is an IPv4 address. Undefined for what is no address. */
function canonical(address: string): string | undefined {
  const bare = address.split('%')[0] ?? '';
  const family = isIP(bare);
  if (family === 4) return bare;
  if (family !== 6) return undefined;
  const text = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  return mapped?.[1] ?? text;
}

function withoutPort(hop: string): string {
  const text = hop.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  return bracketed?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
