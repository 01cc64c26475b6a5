import { readdir } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { listen } from '../../../../test/support/listen.ts';
import { newFolder } from '../../../../test/support/temporary-folder.ts';
import type { DraftItem, DraftPost, FindFile, Source } from '../draft.ts';
import { fetchingMedia } from './fetch.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
});

const asked: string[] = [];

async function serve(answer: RequestListener): Promise<string> {
  asked.length = 0;
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  return `127.0.0.1:${await listen(server)}`;
}

const post: DraftPost = {
  kind: 'post',
  id: 'a',
  title: undefined,
  fallbackTitle: '',
  description: undefined,
  content: '',
  isDraft: false,
  date: undefined,
  tags: [],
  audience: [],
  comments: [],
  likes: [],
  isOwnAddress: () => false,
  findFile: async () => undefined,
  addresses: [],
  notes: [],
};
const source: Source = {
  name: 'x',
  total: 1,
  leftBehind: [],
  items: async function* (): AsyncGenerator<DraftItem> {
    yield post;
  },
};

async function finder(options: Partial<Parameters<typeof fetchingMedia>[1]>) {
  const fetching = fetchingMedia(source, { hosts: [], maxBytes: 1024 * 1024, ...options });
  for await (const item of fetching.items()) {
    if (item.kind === 'post') return { isOwn: item.isOwnAddress, find: item.findFile, close: fetching.close };
  }
  throw new Error('no post');
}

async function told(find: FindFile, address: string): Promise<string | undefined> {
  const found = await find(address, false);
  if (found === undefined || 'problem' in found) return found?.problem;
  const chunks: Uint8Array[] = [];
  for await (const chunk of found.read()) chunks.push(chunk);
  return `${found.name} ${found.size} ${Buffer.concat(chunks)}`;
}

it('a picture of an allowed host is fetched, and one of another is not asked for', async () => {
  const host = await serve((_, response) => response.end('bytes'));
  const { isOwn, find, close } = await finder({ hosts: [host], isAllowed: () => true });
  expect(isOwn(`http://${host}/a.png`)).toBe(true);
  expect(await told(find, `http://${host}/a%20b.png?x=1`)).toBe('a b.png 5 bytes');
  for (const address of [
    'http://127.0.0.1:1/a.png',
    'file:///etc/passwd',
    '/a.png',
    `ftp://${host}/a`,
    'https://else.example/a.png',
  ]) {
    expect([address, isOwn(address)]).toEqual([address, false]);
    expect([address, await told(find, address)]).toEqual([address, undefined]);
  }
  expect(await find(`http://${host}/a.html`, true)).toBeUndefined();
  expect(asked).toEqual(['/a%20b.png?x=1']);
  await close?.();
});

it('57. no inner address is connected to, whatever its name', async () => {
  const host = await serve((_, response) => response.end('bytes'));
  const port = host.split(':')[1];
  const names = [
    host,
    `localhost:${port}`,
    `[::1]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `2130706433:${port}`,
    `0x7f.1:${port}`,
    `0.0.0.0:${port}`,
    '169.254.169.254',
    '10.0.0.1',
    '[fd00::1]',
    '[::7f00:1]',
  ];
  const { find } = await finder({ hosts: names });
  for (const name of names)
    expect([name, await told(find, `http://${name}/a.png`)]).toEqual([
      name,
      expect.stringContaining('not on the public Internet'),
    ]);
  expect(asked).toEqual([]);
});

it('a redirect leads no further than to allowed hosts, and not in circles', async () => {
  const host = await serve((request, response) => {
    const location =
      request.url === '/out'
        ? 'http://127.0.0.1:1/secret'
        : request.url === '/file'
          ? 'file:///etc/passwd'
          : '/round';
    response.writeHead(302, { location }).end();
  });
  const { find } = await finder({ hosts: [host], isAllowed: () => true });
  expect(await told(find, `http://${host}/out`)).toContain('redirected to 127.0.0.1:1, which is not allowed');
  expect(await told(find, `http://${host}/file`)).toContain('which is not allowed');
  expect(await told(find, `http://${host}/round`)).toContain('redirected too often');
});

it('a redirect to an allowed name is not followed where that leads inside', async () => {
  const host = await serve((request, response) => {
    if (request.url !== '/out') return response.end('bytes');
    return response.writeHead(302, { location: `http://${inner}/secret` }).end();
  });
  const inner = host.replace('127.0.0.1', '127.0.0.2');
  const isAllowed = (address: string) => address === '127.0.0.1';
  const { find } = await finder({ hosts: [host, inner], isAllowed });
  expect(await told(find, `http://${host}/out`)).toContain('127.0.0.2 is not on the public Internet');
  expect(asked).toEqual(['/out']);
});

it('no more is read than a file may have, and an error is told', async () => {
  const host = await serve((request, response) => {
    if (request.url === '/gone') response.writeHead(404).end('no');
    else response.end(Buffer.alloc(3 * 1024 * 1024));
  });
  const { find } = await finder({ hosts: [host], isAllowed: () => true });
  expect(await told(find, `http://${host}/large`)).toBe('could not be fetched: it is larger than 1 MB');
  expect(await told(find, `http://${host}/gone`)).toBe('could not be fetched: the server answered 404');
});

it('what could not be fetched leaves nothing on the disk', async () => {
  const host = await serve((_, response) => response.end(Buffer.alloc(3 * 1024 * 1024)));
  const folder = await newFolder();
  vi.stubEnv('TMPDIR', folder);
  const { find, close } = await finder({ hosts: [host], isAllowed: () => true });
  expect(await told(find, `http://${host}/large`)).toContain('larger than 1 MB');
  const [downloads = ''] = await readdir(folder);
  expect(await readdir(join(folder, downloads))).toEqual([]);
  await close?.();
});

it('a name with a sign for percent that begins no escape is a name', async () => {
  const host = await serve((_, response) => response.end('bytes'));
  const { find, close } = await finder({ hosts: [host], isAllowed: () => true });
  expect(await told(find, `http://${host}/100%.png`)).toBe('100%.png 5 bytes');
  await close?.();
});

it('what is no name of a host is refused', () => {
  expect(() => fetchingMedia(source, { hosts: ['http://'], maxBytes: 1 })).toThrow('is no name of a host');
});
