import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../support/site.ts';
import { type Upload, upload } from '../support/storage.ts';
import { type Served, serveSite } from './server.ts';

let served: Served;
let dataDir: string;
let admin: Person;
let small: Upload;
let large: Upload;
/** One connection, so that an answer that leaves it in a bad state shows in the next. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coterie-test-'));
  served = await serveSite({ dataDir, databaseUrl: undefined });
  admin = await served.site.admin();
  small = await upload(served.site, admin, 'posts/a.mp4', '\0\0\0\x18ftypmp42\0\0\0\0mp42isom');
  large = await upload(served.site, admin, 'posts/b.bin', Buffer.alloc(20_000_000, 'large '));
});
afterAll(async () => {
  agent.destroy();
  await served.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request({
    host: '127.0.0.1',
    port: served.port,
    path,
    method,
    agent,
    headers: { cookie: admin?.cookie ?? '', ...headers },
  });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of answer.setEncoding('latin1')) body += chunk;
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** Files of the site that this process holds open. */
async function openFiles(): Promise<string[]> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map(name => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter(target => target.startsWith(join(dataDir, 'files')));
}

it('the address of a file answers players: first bytes, parts, ends, conditions, over one connection', async () => {
  const whole = '\0\0\0\x18ftypmp42\0\0\0\0mp42isom';
  const first = await ask(small.url, { range: 'bytes=0-1' });
  expect([first.status, first.body, first.headers['content-range']]).toEqual([206, '\0\0', 'bytes 0-1/24']);
  expect(first.headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '2',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-disposition': 'inline; filename=a.mp4',
  });
  expect(first.headers['transfer-encoding']).toBeUndefined();
  const etag = String(first.headers.etag);
  const got = async (headers: Record<string, string>, method?: string) => {
    const { status, body } = await ask(small.url, headers, method);
    return [status, body];
  };
  expect(await got({})).toEqual([200, whole]);
  expect(await got({ range: 'bytes=0-' })).toEqual([206, whole]);
  expect(await got({ range: 'bytes=20-' })).toEqual([206, 'isom']);
  expect(await got({ range: 'bytes=-4' })).toEqual([206, 'isom']);
  expect(await got({ range: 'bytes=24-' })).toEqual([416, '']);
  expect(await got({ range: 'bytes=20-', 'if-range': etag })).toEqual([206, 'isom']);
  expect(await got({ range: 'bytes=20-', 'if-range': '"older"' })).toEqual([200, whole]);
  expect(await got({ 'if-none-match': etag })).toEqual([304, '']);
  expect(await got({ 'if-none-match': etag, range: 'bytes=0-1' })).toEqual([304, '']);
  expect(await got({}, 'HEAD')).toEqual([200, '']);
  const part = await ask(large.url, { range: 'bytes=9999998-12999999' });
  expect([part.body.length, part.body.slice(0, 10)]).toEqual([3_000_002, 'rge large ']);
  expect((await ask(large.url)).body.length).toBe(20_000_000);
});

it('a download is closed when its reader stops', async () => {
  for (let round = 0; round < 5; round += 1) {
    const sent = request({
      host: '127.0.0.1',
      port: served.port,
      path: large.url,
      headers: { cookie: admin?.cookie ?? '' },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await once(answer, 'data');
    sent.destroy();
  }
  await expect.poll(openFiles).toEqual([]);
  expect((await ask(small.url)).status).toBe(200);
});

it('the address of a file says that bytes are gone, and never takes a part for the whole', async () => {
  await rm(join(dataDir, 'files', small.id));
  const { status, body } = await ask(small.url);
  expect([status, JSON.parse(body).error.message]).toEqual([404, 'The content of this file is missing.']);
  expect((await ask(large.url, { range: 'bytes=0-0' })).body).toBe('l');
});
