import ipaddr from 'ipaddr.js';

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
