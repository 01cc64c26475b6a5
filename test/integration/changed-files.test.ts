import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createListener } from '../../server/app.ts';
import type { Deps } from '../../server/deps.ts';
import { describeEngines } from '../support/engines.ts';
import { sourcePages } from '../support/site.ts';
import { upload } from '../support/storage.ts';

/** Everything that a server answers to these bytes over one connection, until it closes it. */
async function answersOf(deps: Deps, requests: string): Promise<string> {
  const server = createServer(createListener(deps, sourcePages)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(requests);
  return await text(socket);
}

describeEngines(({ siteWithAdmin }) => {
  it.each([
    ['fewer', [20]],
    ['fewer, in pieces', [20, 20]],
    ['more', [20, 5_000]],
  ])(
    'a file of which the store has other bytes than there were ends the connection, which would confuse one answer with the next: %s',
    async (_, sizes) => {
      const [s, admin] = await siteWithAdmin();
      const { url } = await upload(s, admin, 'a.bin', Buffer.alloc(5_000, 'a'));
      const read = async function* () {
        for (const size of sizes) yield Buffer.alloc(size, 'b');
      };
      const deps = { ...s.deps, files: { ...s.deps.files, read } };
      const head = `HTTP/1.1\r\nHost: localhost\r\nCookie: ${admin.cookie}\r\n`;
      const answered = await answersOf(
        deps,
        `GET ${url} ${head}\r\nGET /robots.txt ${head}Connection: close\r\n\r\n`,
      );
      expect(answered.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
      expect(answered.match(/b+$/)?.[0].length).toBeLessThan(5_000);
    },
  );

  it('a file of which the store has other bytes than there were is answered with the reason where nothing of it was sent', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await upload(s, admin, 'a.bin', Buffer.alloc(20, 'a'));
    const files = { ...s.deps.files };
    for (const [size, error] of [
      [0, 'This file is shorter than it was.'],
      [21, 'This file is longer than it was.'],
    ] as const) {
      const read = async function* () {
        if (size > 0) yield Buffer.alloc(size, 'b');
      };
      const head = `HTTP/1.1\r\nHost: localhost\r\nCookie: ${admin.cookie}\r\nConnection: close\r\n\r\n`;
      const answered = await answersOf({ ...s.deps, files: { ...files, read } }, `GET ${url} ${head}`);
      expect(answered).toContain('HTTP/1.1 404');
      expect(answered).toContain(error);
    }
  });
});
