import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  deleteObject,
  getBytes,
  getDownloadURL,
  getMetadata,
  getStream,
  list,
  listAll,
  ref,
  updateMetadata,
  uploadBytes,
  uploadBytesResumable,
  uploadString,
} from 'firebase/storage';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { createDatabase, dropDatabase } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';
import type { Location } from '../support/site.ts';
import { breakingLine } from './breaking-line.ts';
import { type Sdk, sdkCode, sdkFor } from './sdk.ts';
import { type Served, serveSite, startS3 } from './server.ts';

const mebibyte = 1024 * 1024;
const sha = (bytes: Uint8Array | ArrayBuffer) =>
  createHash('sha256').update(new Uint8Array(bytes)).digest('hex');

/** Both homes of files, each with the other engine. */
describe.each(['a folder, SQLite', 'S3, PostgreSQL'])('the SDK of Firebase on storage in %s', home => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  const open = async (environment: Record<string, string> = {}, behind?: number): Promise<Served> => {
    const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-test-'));
    cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
    const location: Location = { dataDir, databaseUrl: undefined };
    const settings = { ...environment };
    if (home.startsWith('S3')) {
      const s3 = await startS3();
      const databaseUrl = await createDatabase(inject('postgresUrl'), inject('templates').postgres);
      cleanups.push(s3.close, () => dropDatabase(databaseUrl));
      settings.FILES_URL = s3.url;
      location.databaseUrl = databaseUrl;
    }
    const served = await serveSite(location, settings, behind);
    cleanups.push(served.close);
    return served;
  };
  const adminSdk = async (served: Served, port = served.port): Promise<Sdk> => {
    const admin = await served.site.admin();
    const { token } = await served.site.makeToken(admin, 'sdk');
    return sdkFor(port, token);
  };

  it('the SDK of Firebase stores, describes, lists, changes and deletes', async () => {
    const served = await open();
    const { storage } = await adminSdk(served);
    const file = ref(storage, 'posts/1700000000000_Grüße & 100%25.txt');
    const text = 'Line one\r\n--not a boundary--\r\n\r\nLine two\r\n';
    const { metadata } = await uploadString(file, text, 'raw', {
      contentType: 'text/plain',
      customMetadata: { mood: 'calm' },
    });
    expect(metadata).toMatchObject({
      fullPath: 'posts/1700000000000_Grüße & 100%25.txt',
      bucket: 'coterie',
      contentType: 'text/plain',
      size: Buffer.byteLength(text),
      customMetadata: { mood: 'calm' },
      md5Hash: createHash('md5').update(text).digest('base64'),
    });
    expect(Buffer.from(await getBytes(file)).toString()).toBe(text);
    expect(Buffer.from(await getBytes(file, 4)).toString()).toBe('Line');
    const streamed: Uint8Array[] = [];
    for await (const chunk of getStream(file)) streamed.push(Buffer.from(chunk));
    expect(Buffer.concat(streamed).toString()).toBe(text);

    const url = await getDownloadURL(file);
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([200, text]);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''Gr%C3%BC/);

    const changed = await updateMetadata(file, { contentLanguage: 'de', customMetadata: { mood: 'bright' } });
    expect(changed).toMatchObject({
      contentLanguage: 'de',
      metageneration: '2',
      customMetadata: { mood: 'bright' },
    });
    expect((await updateMetadata(file, { contentLanguage: null as never })).contentLanguage).toBeUndefined();
    expect((await getMetadata(file)).generation).toBe(metadata.generation);

    for (const name of ['a/1.bin', 'a/b/2.bin', 'a/b/3.bin', 'c.bin']) {
      await uploadBytes(ref(storage, `posts/${name}`), new Uint8Array([1, 2, 3]));
    }
    expect((await listAll(ref(storage))).prefixes.map(p => p.fullPath)).toEqual(['posts']);
    const top = await listAll(ref(storage, 'posts'));
    expect([top.prefixes.map(p => p.fullPath), top.items.map(i => i.fullPath)]).toEqual([
      ['posts/a'],
      [file.fullPath, 'posts/c.bin'],
    ]);
    const folder = ref(storage, 'posts/a');
    const first = await list(folder, { maxResults: 1 });
    const second = await list(folder, { maxResults: 1, pageToken: first.nextPageToken as string });
    expect([first.items[0]?.fullPath, second.prefixes[0]?.fullPath, second.nextPageToken]).toEqual([
      'posts/a/1.bin',
      'posts/a/b',
      undefined,
    ]);

    await deleteObject(file);
    expect(await sdkCode(getMetadata(file))).toBe('storage/object-not-found');
    expect(await sdkCode(getBytes(file))).toBe('storage/object-not-found');
    expect(await sdkCode(deleteObject(file))).toBe('storage/object-not-found');
  });

  it('the SDK of Firebase keeps every byte, none included', async () => {
    const served = await open();
    const { storage } = await adminSdk(served);
    const empty = ref(storage, 'posts/empty.bin');
    await uploadBytes(empty, new Uint8Array());
    expect([(await getBytes(empty)).byteLength, (await getBytes(empty, 10)).byteLength]).toEqual([0, 0]);
    for (const size of [1, 1_000, 262_144, 262_145, 1_048_579]) {
      const bytes = randomBytes(size);
      const file = ref(storage, `posts/${size}.bin`);
      const { metadata } = await uploadBytesResumable(file, bytes);
      expect([metadata.size, sha(await getBytes(file))]).toEqual([size, sha(bytes)]);
    }
  });

  // 40 MiB, by Node and by a browser, against the built server: test/e2e/sdk.spec.ts.
  it('an upload finishes over a line that breaks', async () => {
    const behind = await freePort();
    const served = await open({}, behind);
    const line = await breakingLine(behind, served.port, [Math.floor((0.1 + Math.random() * 8) * mebibyte)]);
    cleanups.push(line.close);
    const { storage } = await adminSdk(served, behind);
    const bytes = randomBytes(9 * mebibyte);
    const file = ref(storage, 'posts/long.bin');
    const { metadata } = await uploadBytesResumable(file, bytes);
    expect([metadata.size, line.breaks()]).toEqual([bytes.length, 1]);
    expect(sha(await getBytes(file, 64 * mebibyte))).toBe(sha(bytes));
  });

  it('the SDK of Firebase refuses in the words of the SDK, at once', async () => {
    const served = await open({ FILE_MAX_MIB: '1', FILES_QUOTA_MIB: '2' });
    const { storage } = await adminSdk(served);
    const member = await served.site.member();
    const { token } = await served.site.makeToken(member, 'sdk');
    const as = {
      visitor: sdkFor(served.port).storage,
      member: sdkFor(served.port, token).storage,
      stranger: sdkFor(served.port, 'coterie_nothing').storage,
    };
    await uploadBytes(ref(storage, 'posts/own.bin'), new Uint8Array(9));
    const small = new Uint8Array(1_000);
    expect({
      visitorUploads: await sdkCode(uploadBytes(ref(as.visitor, 'posts/x'), small)),
      memberUploads: await sdkCode(uploadBytes(ref(as.member, 'posts/x'), small)),
      strangerReads: await sdkCode(getBytes(ref(as.stranger, 'posts/own.bin'))),
      memberReads: await sdkCode(getBytes(ref(as.member, 'posts/own.bin'))),
      visitorDescribes: await sdkCode(getMetadata(ref(as.visitor, 'posts/own.bin'))),
      memberLists: await sdkCode(listAll(ref(as.member))),
      memberDeletes: await sdkCode(deleteObject(ref(as.member, 'posts/own.bin'))),
      memberResumes: await sdkCode(
        uploadBytesResumable(ref(as.member, 'posts/x'), new Uint8Array(300_000)).then(() => undefined),
      ),
      tooLarge: await sdkCode(uploadBytes(ref(storage, 'posts/x'), new Uint8Array(mebibyte + 1))),
      tooLargeInSteps: await sdkCode(
        uploadBytesResumable(ref(storage, 'posts/x'), new Uint8Array(mebibyte + 1)).then(() => undefined),
      ),
      outsideOfPosts: await sdkCode(uploadBytes(ref(storage, 'elsewhere/x'), small)),
      outsideOfPostsInSteps: await sdkCode(
        uploadBytesResumable(ref(storage, 'posts.bin'), new Uint8Array(300_000)).then(() => undefined),
      ),
      brokenPicture: await sdkCode(
        uploadBytes(ref(storage, 'posts/x'), Buffer.from('\x89PNG\r\n\x1a\nand no more', 'latin1')),
      ),
      noPicture: await sdkCode(uploadBytes(ref(storage, 'posts/x'), small, { contentType: 'image/png' })),
      noPictureInSteps: await sdkCode(
        uploadBytesResumable(ref(storage, 'posts/x'), new Uint8Array(300_000), {
          contentType: 'image/jpeg',
        }).then(() => undefined),
      ),
      wrongChecksum: await sdkCode(
        uploadBytes(ref(storage, 'posts/x'), small, { md5Hash: 'AAAAAAAAAAAAAAAAAAAAAA==' }),
      ),
    }).toEqual({
      visitorUploads: 'storage/unauthenticated',
      memberUploads: 'storage/unauthorized',
      strangerReads: 'storage/unauthenticated',
      memberReads: 'storage/object-not-found',
      visitorDescribes: 'storage/object-not-found',
      memberLists: 'storage/unauthorized',
      memberDeletes: 'storage/unauthorized',
      memberResumes: 'storage/unauthorized',
      tooLarge: 'storage/unknown',
      tooLargeInSteps: 'storage/unknown',
      outsideOfPosts: 'storage/unauthorized',
      outsideOfPostsInSteps: 'storage/unauthorized',
      brokenPicture: 'storage/unauthorized',
      noPicture: 'storage/unauthorized',
      noPictureInSteps: 'storage/unauthorized',
      wrongChecksum: 'storage/unknown',
    });
    await uploadBytes(ref(storage, 'posts/one.bin'), new Uint8Array(mebibyte));
    expect(await sdkCode(uploadBytes(ref(storage, 'posts/two.bin'), new Uint8Array(mebibyte)))).toBe(
      'storage/quota-exceeded',
    );
    expect(
      await sdkCode(
        uploadBytesResumable(ref(storage, 'posts/two.bin'), new Uint8Array(mebibyte)).then(() => undefined),
      ),
    ).toBe('storage/quota-exceeded');
  });
});
