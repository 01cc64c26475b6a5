import { readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, expect, it } from 'vitest';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { examine } from '../../server/cli/examine.ts';
import { makeNextVariants } from '../../server/files/make-variants.ts';
import { s3Store } from '../../server/files/store/s3-store.ts';
import { variantKey } from '../../server/files/variant.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { startServer } from '../../server/start.ts';
import { startS3 } from '../conformance/server.ts';
import { listen } from '../support/listen.ts';
import { bucketPath, multipart } from '../support/multipart.ts';
import { openSite, refusal, type Site, sourcePages } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { newFolder } from '../support/temporary-folder.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(filesUrl: string | undefined, dataDir?: string): Promise<Site> {
  const folder = dataDir ?? (await newFolder());
  const settings = filesUrl === undefined ? {} : { FILES_URL: filesUrl };
  const site = await openSite({ dataDir: folder, databaseUrl: undefined }, settings);
  cleanups.push(site.close);
  return site;
}

async function store() {
  const s3 = await startS3();
  let isOpen = true;
  const close = async () => {
    if (isOpen) await s3.close();
    isOpen = false;
  };
  cleanups.push(close);
  return { url: s3.url, close };
}

it('an export archives the files of an S3 store with the site, and restores them to a store or a folder', async () => {
  const s = await open((await store()).url);
  const admin = await s.admin();
  const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
  const picture = await sharp({
    create: { width: 1_000, height: 90, channels: 3, background: '#a63', noise },
  })
    .jpeg({ quality: 95 })
    .toBuffer();
  const photo = await upload(s, admin, 'a.jpg', picture);
  const video = await upload(s, admin, 'a.bin', Buffer.alloc(3_000_000, 'video '));
  await upload(s, admin, 'empty.bin', '');
  while (await makeNextVariants(s.deps));
  expect(await examine(s.deps)).toEqual([]);
  const { path: archive } = await exportSite(s.deps, join(s.config.dataDir, 'saved.tar'));

  // Tried out with the settings of the site itself, it would write to its files and delete from them.
  const live = { ...s.config, dataDir: join(s.config.dataDir, 'trial') };
  expect(await refusal(restoreSite(live, await archiveFile(archive)))).toBe('failed-precondition');
  expect(await readdir(live.dataDir)).toEqual([]);
  await restoreSite(live, await archiveFile(archive), { isForced: true });

  for (const home of [(await store()).url, undefined]) {
    const dataDir = join(s.config.dataDir, home === undefined ? 'folder' : 'bucket');
    await restoreSite({ ...s.config, dataDir, filesUrl: home }, await archiveFile(archive));
    const restored = await open(home, dataDir);
    expect(await examine(restored.deps)).toEqual([]);
    const member = await restored.signUp('newcomer');
    await makeAdmin(restored.deps, member.id);
    for (const path of [photo.url, `${photo.url}?width=480`, video.url]) {
      const [before, after] = [await s.request(path, admin), await restored.request(path, member)];
      expect(Buffer.from(await after.arrayBuffer()).equals(Buffer.from(await before.arrayBuffer()))).toBe(
        true,
      );
    }
  }

  await s.deps.files.remove(variantKey(photo.id, 480));
  await s.deps.db.updateTable('files').set({ size: 7 }).where('id', '=', video.id).execute();
  expect(await examine(s.deps)).toEqual([
    { rule: 'Every file exists and is intact.', broken: [variantKey(photo.id, 480), video.id] },
  ]);
});

it('the site reports a store that cannot be reached, and posts can still be read', async () => {
  const { url, close } = await store();
  const s = await open(url);
  const admin = await s.admin();
  const file = await upload(s, admin, 'a.bin', 'x');
  await close();
  const answers = await Promise.all([
    s.request(file.url, admin),
    s.request(bucketPath('b.bin'), admin, multipart('y')),
  ]);
  for (const answer of answers) {
    expect([answer.status, (await answer.json()).error.message]).toEqual([
      503,
      'The files cannot be reached. Please try again in a moment.',
    ]);
  }
  expect(await s.call(null, 'getPosts', {})).toMatchObject({ posts: [] });
  expect(await s.deps.db.selectFrom('files').select('path').execute()).toEqual([{ path: 'posts/a.bin' }]);
});

/** A server that takes connections and says `start` to each request, and nothing more. */
async function frozenStore(start: string): Promise<string> {
  const server = createServer(socket => socket.on('error', () => {}).once('data', () => socket.write(start)));
  const sockets = new Set<Socket>();
  server.on('connection', socket => sockets.add(socket));
  await listen(server);
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `s3://key:secret@127.0.0.1:${port}/coterie-files?http=1`;
}

const impatient = { connectMs: 300, answerMs: 300, partMs: 300 };
const outage = { code: 'unavailable', message: 'The files cannot be reached. Please try again in a moment.' };

it('a store that accepts connections and never answers is reported as an outage', async () => {
  const s = await open(undefined);
  const path = join(s.config.dataDir, 'x');
  await writeFile(path, Buffer.alloc(9_000_000));
  const files = s3Store(await frozenStore(''), impatient);
  const waits = [
    files.put('x', path),
    files.read('x').next(),
    files.size('x'),
    files.remove('x'),
    files.check(),
  ];
  const listing = files.list()[Symbol.asyncIterator]().next();
  const ends = await Promise.allSettled([...waits, listing]);
  expect(ends.map(end => end.status === 'rejected' && end.reason)).toMatchObject(Array(6).fill(outage));
});

it('a store that lists the same files again and again is reported as an outage', async () => {
  const page = `<ListBucketResult><Contents><Key>x</Key></Contents>
    <IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken></ListBucketResult>`;
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n`;
  const listed: string[] = [];
  const list = async () => {
    for await (const { key } of s3Store(await frozenStore(`${head}${page}`)).list()) {
      listed.push(key);
      if (listed.length > 10) return;
    }
  };
  await expect(list()).rejects.toMatchObject(outage);
  expect(listed).toEqual(['x', 'x']);
});

it('a store that ends its list with an empty mark of more lists all files', async () => {
  const page = `<ListBucketResult><Contents><Key>x</Key></Contents>
    <IsTruncated>false</IsTruncated><NextContinuationToken></NextContinuationToken></ListBucketResult>`;
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n`;
  const listed: string[] = [];
  for await (const { key } of s3Store(await frozenStore(`${head}${page}`)).list()) listed.push(key);
  expect(listed).toEqual(['x']);
});

it('a store that stops in the middle of a file is an outage, but a slow reader is not', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n';
  const frozen = s3Store(await frozenStore(`${head}0123456789`), impatient).read('x');
  expect(Buffer.from((await frozen.next()).value ?? []).toString()).toBe('0123456789');
  await expect(frozen.next()).rejects.toMatchObject(outage);
  const whole = s3Store(await frozenStore(`${head}01234567890123456789`), impatient).read('x');
  await whole.next();
  expect((await whole.next()).done).toBe(true);
});

it('a wrong bucket or key stops the start, and a running site is not ready', async () => {
  const { url } = await store();
  const wrong = {
    bucket: url.replace('coterie-files', 'other-files'),
    key: url.replace('S3RVER:S3RVER', 'somebody:secret'),
  };
  for (const FILES_URL of Object.values(wrong)) {
    const s = await open(FILES_URL);
    expect((await s.request('/readyz')).status).toBe(503);
    const config = { ...s.config, port: 0, host: '127.0.0.1' };
    await expect(startServer(config, sourcePages)).rejects.toThrow(
      /^FILES_URL: 127\.0\.0\.1:\d+\/\S+ refuses the bucket, the key or the region: \w+\.$/,
    );
  }
  const s = await open(url);
  expect((await s.request('/readyz')).status).toBe(200);
});

it('a process with an unreachable store is still ready, because texts can be read', async () => {
  const { url, close } = await store();
  const s = await open(url);
  await close();
  expect((await s.request('/readyz')).status).toBe(200);
});
