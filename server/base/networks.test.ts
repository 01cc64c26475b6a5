import { expect, it } from 'vitest';
import { networkOf, parseNetworks, peerAddress } from './networks.ts';

const none = parseNetworks('');
const proxies = parseNetworks('10.0.0.0/8, ::1, fd00::/8');

it.each([
  ['203.0.113.9', '198.51.100.1', none, '203.0.113.9'],
  ['::ffff:203.0.113.9', null, none, '203.0.113.9'],
  ['10.1.2.3', '198.51.100.1', proxies, '198.51.100.1'],
  ['10.1.2.3', '6.6.6.6, 198.51.100.1, 10.9.9.9', proxies, '198.51.100.1'],
  ['10.1.2.3', '6.6.6.6, nonsense', proxies, '10.1.2.3'],
  ['10.1.2.3', null, proxies, '10.1.2.3'],
  ['::1', '198.51.100.1:4711', proxies, '198.51.100.1'],
  ['fd00::7', '[2001:db8::1]:4711', proxies, '2001:db8::1'],
  ['203.0.113.9', '10.0.0.1', proxies, '203.0.113.9'],
])('the client address of %s with %s is found', (remote, forwardedFor, trusted, peer) => {
  expect(peerAddress(remote, forwardedFor, trusted)).toBe(peer);
});

it('40. a /56 of IPv6 counts as one network, however it is written', () => {
  const networks = ['2001:db8:0:101::1', '2001:0db8:0000:01ff:ffff::', '2001:DB8:0:100:1:2:3:4'].map(
    address => networkOf(peerAddress(address, null, none)),
  );
  expect(new Set(networks)).toEqual(new Set(['2001:db8:0:100::/56']));
  expect(networkOf(peerAddress('2001:db8:0:201::1', null, none))).toBe('2001:db8:0:200::/56');
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
});

it('an IPv6 address of a trusted proxy is recognised, and one that only looks similar is not trusted', () => {
  const addresses = ['fd00::7', '::ffff:10.1.2.3', '10.1.2.3', '2001:db8::1', '11.0.0.1', 'localhost', ''];
  expect(addresses.filter(proxies.include)).toEqual(['fd00::7', '::ffff:10.1.2.3', '10.1.2.3']);
});

it('a list of proxies with an entry that is no address is refused', () => {
  expect(() => parseNetworks('10.0.0.0/99')).toThrow();
  expect(() => parseNetworks('proxy.example')).toThrow();
  expect(() => parseNetworks('10.1')).toThrow();
});
