import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { proxyWarnings } from '../../server/system/proxy.ts';
import { startProcess } from '../processes/start-server.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { at } = temporaryFolder();

/** What a proxy does with the answers of a site. */
type Passing = (answer: NodeJS.ReadableStream, outgoing: ServerResponse, url: string) => Promise<void> | void;

const passing: Passing = (answer, outgoing) => void answer.pipe(outgoing);
const holding: Passing = async (answer, outgoing) => void outgoing.end(await buffer(answer));
function storing(): Passing {
  const stored = new Map<string, Buffer>();
  return async (answer, outgoing, url) => {
    const bytes = stored.get(url) ?? (await buffer(answer));
    stored.set(url, bytes);
    outgoing.end(bytes);
  };
}

it.each([
  ['passes answers on as they come', () => passing, []],
  ['holds them back until they end', () => holding, ['A proxy holds streams back']],
  ['stores what is private', storing, ['A proxy caches private answers', 'A proxy holds streams back']],
  [
    'refuses',
    () => (_: unknown, outgoing: ServerResponse) => void outgoing.destroy(),
    ['The proxy was not checked'],
  ],
])('a proxy that %s is recognised', async (_, pass, expected) => {
  const handle = pass();
  const port = await freePort();
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  const site = await startProcess({ DATA_DIR: at('data'), PUBLIC_URL });
  const proxy = createServer((incoming, outgoing) => {
    const { url = '', headers } = incoming;
    request({ port: site.port, host: '127.0.0.1', path: url, headers }, answer => {
      outgoing.statusCode = answer.statusCode ?? 500;
      handle(answer, outgoing, url);
    }).end();
  }).listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    const found = await proxyWarnings(readConfig({ PUBLIC_URL }));
    expect(found.map(sentence => expected.find(start => sentence.startsWith(start)))).toEqual(expected);
    expect(await proxyWarnings(readConfig({}))).toEqual([]);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    site.child.kill();
    await site.ended;
  }
});
