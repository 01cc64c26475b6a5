import { Resolver } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../test/support/listen.ts';
import { askServer, isPublic } from './outgoing.ts';

async function serve(): Promise<URL> {
  const server = createServer((_, response) => response.end('Hello'));
  await listen(server);
  onTestFinished(() => {
    vi.restoreAllMocks();
    server.close();
  });
  return new URL(`http://push.invalid:${(server.address() as AddressInfo).port}`);
}

const ask = async (url: URL, isAllowed: (address: string) => boolean) => {
  const asking = { accept: '*/*', agent: 'Coterie', idleMs: 60_000, wholeMs: 60_000, isOfMembers: true };
  return await text(await askServer(url, { ...asking, isAllowed }));
};

it('a host that members choose is looked up beside the threads of the system, and asked at that address', async () => {
  const url = await serve();
  vi.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(['127.0.0.1']);
  vi.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue(new Error('queryAaaa ENODATA'));
  expect(await ask(url, address => address === '127.0.0.1')).toBe('Hello');
  await expect(ask(url, isPublic)).rejects.toThrow('push.invalid is not on the public Internet');
});

it('a host that members choose is not asked where one of its addresses is an inner one', async () => {
  const url = await serve();
  vi.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(['198.41.0.4']);
  vi.spyOn(Resolver.prototype, 'resolve6').mockResolvedValue(['fd00::1']);
  await expect(ask(url, isPublic)).rejects.toThrow('not on the public Internet');
});

it('a host that members choose and that no name server knows is told so', async () => {
  const url = await serve();
  for (const name of ['resolve4', 'resolve6'] as const)
    vi.spyOn(Resolver.prototype, name).mockRejectedValue(new Error('ENOTFOUND push.invalid'));
  await expect(ask(url, () => true)).rejects.toThrow('ENOTFOUND');
});
