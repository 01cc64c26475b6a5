import ipaddr from 'ipaddr.js';

/** How many times as much as one network the /48 around it may do: an office has many readers, and an attacker 256 networks. */
const widerTimes = 8;

/** What a network is counted as: itself, and for one of IPv6 (`2001:db8:0:100::/56`) the /48 that it is a part of. */
export function networksOf(network: string): { name: string; times: number }[] {
  const own = { name: network, times: 1 };
  if (!network.endsWith('/56')) return [own];
  const wider = ipaddr.IPv6.networkAddressFromCIDR(network.replace(/\/56$/, '/48'));
  return [own, { name: `${wider.toString()}/48`, times: widerTimes }];
}
