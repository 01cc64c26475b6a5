import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sweepFiles } from '../../server/files/jobs.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { bucketPath, multipart, objectPath } from '../support/multipart.ts';
import { hugePicture } from '../support/pictures.ts';
import { openSite, type Person, refusal, type Site } from '../support/site.ts';
import { start, step, upload } from '../support/storage.ts';

const mebibyte = 1024 * 1024;
const lying = async (site: Site, folder: string) =>
  await readdir(join(site.config.dataDir, folder)).catch(() => []);

/** A body without an end, and how much of it has been taken. */
function endless(): { body: ReadableStream<Uint8Array>; taken: () => number } {
  const chunk = new Uint8Array(64 * 1024);
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: controller => {
        taken += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken };
}

describeEngines(({ siteWithAdmin, migrated }) => {
  it('47. what has come of unfinished uploads takes room like files', async () => {
    const s = await openSite(await migrated(), { FILE_MAX_MIB: '1', FILES_QUOTA_MIB: '2' });
    try {
      const admin = await s.admin();
      const body = new Uint8Array(mebibyte);
      const [one, two, three] = [
        await start(s, admin, 'a.bin'),
        await start(s, admin, 'b.bin'),
        await start(s, admin, 'c.bin'),
      ];
      for (const url of [one, two])
        expect((await step(s, admin, url, 'upload', { offset: 0, body })).status).toBe(200);
      expect((await step(s, admin, three, 'upload', { offset: 0, body: 'x' })).status).toBe(402);
      expect(await statusOfStart(s, admin, 'd.bin')).toBe(402);
      expect(await lying(s, 'files')).toHaveLength(2);
      await step(s, admin, one, 'cancel');
      const four = await start(s, admin, 'e.bin');
      expect((await step(s, admin, four, 'upload, finalize', { offset: 0, body: 'x' })).status).toBe(200);
      expect((await step(s, admin, two, 'finalize', { offset: mebibyte })).status).toBe(200);
    } finally {
      await s.close();
    }
  });

  it('47. an upload that is refused for lack of room holds none any more', async () => {
    const s = await openSite(await migrated(), { FILE_MAX_MIB: '1', FILES_QUOTA_MIB: '2' });
    try {
      const admin = await s.admin();
      const half = new Uint8Array(mebibyte / 2);
      const names = ['a.bin', 'b.bin', 'c.bin', 'd.bin', 'e.bin'];
      const [a = '', ...others] = await Promise.all(names.map(name => start(s, admin, name)));
      const send = async (url: string, offset: number) =>
        (await step(s, admin, url, 'upload', { offset, body: half })).status;
      for (const url of others) expect(await send(url, 0)).toBe(200);
      expect(await send(others[0] ?? '', half.length)).toBe(402);
      expect(await send(others[0] ?? '', half.length)).toBe(404);
      expect(await send(a, 0)).toBe(200);
    } finally {
      await s.close();
    }
  });

  it('47. the site refuses an upload that is larger than announced or allowed, and stores nothing of it', async () => {
    const s = await openSite(await migrated(), { FILE_MAX_MIB: '1', FILES_QUOTA_MIB: '2' });
    try {
      const admin = await s.admin();
      const small = await start(s, admin, 'a.bin', 1_000);
      for (const url of [small, await start(s, admin, 'b.bin')]) {
        const { body, taken } = endless();
        expect((await step(s, admin, url, 'upload', { offset: 0, body })).status).toBe(413);
        expect(taken()).toBeLessThan(2 * mebibyte);
      }
      const { body, taken } = endless();
      const head = multipart('');
      const whole = { ...head, body: prefixed(head.body as Uint8Array, body), duplex: 'half' } as RequestInit;
      expect((await s.request(bucketPath('c.bin'), admin, whole)).status).toBe(413);
      expect(taken()).toBeLessThan(2 * mebibyte);
      await expect(start(s, admin, 'd.bin', 10 * 1024 * mebibyte)).rejects.toThrow(/^413 /);
      // Sessions that hold nothing are bounded, too; what a refused step left goes with its session.
      let opened = 2;
      while ((await statusOfStart(s, admin, `many/${opened}`)) === 200) opened += 1;
      expect([opened, await statusOfStart(s, admin, 'more')]).toEqual([100, 402]);
      expect((await s.request('/v0/b/coterie/o?name=posts%2Fx', admin, multipart('x'))).status).toBe(200);
      s.wait(86_400_000 + 1);
      await sweepFiles(s.deps);
      expect(await lying(s, 'uploads')).toEqual([]);
      await upload(s, admin, 'full.bin', new Uint8Array(mebibyte));
      expect((await s.request(bucketPath('e'), admin, multipart(new Uint8Array(mebibyte)))).status).toBe(402);
      expect(await lying(s, 'files')).toHaveLength(2);
    } finally {
      await s.close();
    }
  });

  it('47. the site counts uploads, not their steps, and refuses immediately', async () => {
    const [s, admin] = await siteWithAdmin();
    const peer = '192.0.2.7';
    const send = async (path: string, init: RequestInit, as: Person = admin) =>
      await s.request(path, as, { ...init, peer });
    const url = new URL(await start(s, admin, 'a.bin'));
    s.deps.limits = new Limits(0.005);
    const query = { method: 'POST', headers: { 'x-goog-upload-command': 'query' } };
    for (let steps = 0; steps < 20; steps += 1) {
      expect((await send(url.pathname + url.search, query)).status).toBe(200);
    }
    const statuses = [];
    for (let uploads = 0; uploads < 8; uploads += 1) {
      statuses.push((await send(bucketPath('x'), multipart('x'))).status);
    }
    // 402 is final to the SDK; 429 it would try again for ten minutes (wire protocols, 2.7).
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 402, 402]);
    expect((await send(url.pathname + url.search, query)).status).toBe(200);
    expect((await send(url.pathname + url.search, query, null)).status).toBe(402);
  });

  it('48. the site refuses pictures that would fill the memory, and the server survives', async () => {
    const [s, admin] = await siteWithAdmin();
    const status = async (bytes: Uint8Array | string) =>
      (await s.request(bucketPath('a'), admin, multipart(bytes))).status;
    const { picture, huge } = await hugePicture();
    // A frame of a GIF is a dozen bytes: so many decode into gigabytes.
    const frame = Buffer.from('\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1');
    const screen = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
    const frames = Buffer.concat([screen, ...Array.from({ length: 10_000 }, () => frame), Buffer.from(';')]);
    const bomb = `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(100)}">${Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i} "&a;&a;">`).join('')}]><svg>&a9;</svg>`;
    expect(await Promise.all([huge, frames, picture.subarray(0, 60)].map(status))).toEqual([413, 413, 403]);
    // Entities within entities are not read.
    expect(await status(bomb)).toBe(403);
    // Nothing here reads a video's pictures: these are only stored.
    const video = Buffer.from(
      '\0\0\0\x18ftypmp42\0\0\0\0mp42isom\xff\xff\xff\xffmoov\0\0\0\x01trak',
      'latin1',
    );
    expect(await status(video)).toBe(200);
    expect((await s.request(`${objectPath('a')}?alt=media`, admin)).status).toBe(200);
  });

  it('49. the site answers bodies that are no multipart with 400', async () => {
    const [s, admin] = await siteWithAdmin();
    const good = multipart('x');
    const part = '--00001234567890\r\nContent-Type: text/plain\r\n\r\n';
    const broken: [string, string][] = [
      ['multipart/related', good.body?.toString() ?? ''],
      ['multipart/related; boundary=', good.body?.toString() ?? ''],
      ['multipart/form-data; boundary=00001234567890', good.body?.toString() ?? ''],
      ['multipart/related; boundary=other', good.body?.toString() ?? ''],
      ['', `${part}{}\r\n${part}no end`],
      ['', `${part}{}\r\n--00001234567890--`],
      ['', ''],
      ['', 'x'],
      ['', '--00001234567890\r\n'],
      ['', `${part}{}`],
      ['', part.repeat(100_000)],
      ['', `--00001234567890\r\nX: ${'x'.repeat(mebibyte)}\r\n\r\n{}\r\n${part}x\r\n--00001234567890--`],
      ['', `${part}{"metadata": \r\n${part}x\r\n--00001234567890--`],
      ['', `${part}[]\r\n${part}x\r\n--00001234567890--`],
      ['', '\r\n\r\n\r\n\r\n'],
    ];
    for (const [type, body] of broken) {
      const headers = new Headers(good.headers);
      if (type !== '') headers.set('content-type', type);
      const { status } = await s.request(bucketPath('a'), admin, { method: 'POST', headers, body });
      expect([type, body.slice(0, 30), status]).toEqual([type, body.slice(0, 30), 400]);
    }
    expect((await s.request(bucketPath('a'), admin, good)).status).toBe(200);
    expect(await lying(s, 'uploads')).toEqual([]);
  });

  it('50. the site makes one correct file of whatever two writers send at once', async () => {
    const [s, admin] = await siteWithAdmin();
    const url = await start(s, admin, 'a.bin', 8);
    const steps = await Promise.all([
      step(s, admin, url, 'upload', { offset: 0, body: 'abcd' }),
      step(s, admin, url, 'upload', { offset: 0, body: 'abcd' }),
      step(s, admin, url, 'upload', { offset: 4, body: 'efgh' }),
      step(s, admin, url, 'upload', { offset: 2, body: 'cdef' }),
      step(s, admin, url, 'upload', { offset: 9, body: 'x' }),
    ]);
    for (const { status } of steps) expect([200, 400, 409, 499]).toContain(status);
    await step(s, admin, url, 'upload', { offset: 0, body: 'abcdefgh' });
    const ends = await Promise.all([
      step(s, admin, url, 'finalize', { offset: 8 }),
      step(s, admin, url, 'cancel'),
      step(s, admin, url, 'finalize', { offset: 8 }),
      step(s, admin, url, 'upload, finalize', { offset: 4, body: 'efgh' }),
    ]);
    const media = await s.request(`${objectPath('a.bin')}?alt=media`, admin);
    // Either it was finished before it was cancelled, or there is nothing.
    const isThere = ends.some((end, index) => index !== 1 && end.status === 200);
    expect([media.status, await media.text()]).toEqual(
      isThere ? [200, 'abcdefgh'] : [404, expect.anything()],
    );
    expect(await lying(s, 'uploads')).toEqual([]);
    expect(await lying(s, 'files')).toHaveLength(isThere ? 1 : 0);
  });

  it('51. the site keeps files that a saved post uses, and removes unused ones, whatever happens in between', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay());
    const url = await start(s, admin, 'posts/1_late.bin', 4);
    const kept = await upload(s, admin, 'posts/1_kept.bin', 'kept');
    const withKept = { postId, ...essay(), attachments: [{ url: kept.url, description: null }] };
    await s.call(admin, 'updatePost', withKept);
    // An edit that takes it off, and fails: by another's version, by what it says.
    expect(await refusal(s.call(admin, 'updatePost', { ...withKept, attachments: [], version: 99 }))).toBe(
      'aborted',
    );
    expect(
      await refusal(
        s.call(admin, 'updatePost', {
          ...withKept,
          attachments: [{ url: '/files/AAAAAAAAAAAAAAAA/x', description: null }],
        }),
      ),
    ).toBe('invalid-argument');
    s.wait(60 * 86_400_000);
    await sweepFiles(s.deps);
    expect(await (await s.request(kept.url)).text()).toBe('kept');
    // The post goes while an upload for it is on its way: what has come by then belongs to its uploader, and
    // is swept.
    const late = await start(s, admin, 'posts/2_late.bin', 4);
    const [, finished] = await Promise.all([
      s.call(admin, 'deletePost', { postId }),
      step(s, admin, late, 'upload, finalize', { offset: 0, body: 'late' }),
    ]);
    expect(finished.status).toBe(200);
    const { url: lateUrl } = await finished.json();
    const statuses = [
      await s.request(kept.url, admin),
      await s.request(lateUrl),
      await s.request(lateUrl, admin),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 200]);
    expect((await step(s, admin, url, 'query')).status).toBe(404);
    s.wait(31 * 86_400_000);
    await sweepFiles(s.deps);
    expect([await lying(s, 'files'), await lying(s, 'uploads')]).toEqual([[], []]);
  });
});

function prefixed(head: Uint8Array, rest: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = rest.getReader();
  // Without its end: the file that it begins goes on.
  const opening = head.subarray(0, head.length - '\r\n--00001234567890--'.length);
  return new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(opening),
    pull: async controller => {
      const { value } = await reader.read();
      if (value !== undefined) controller.enqueue(value);
    },
  });
}

async function statusOfStart(site: Site, as: Person, name: string): Promise<number> {
  const { status } = await site.request(bucketPath(name), as, {
    method: 'POST',
    headers: { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' },
    body: '{}',
  });
  return status;
}
