import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { sweepFiles } from '../../server/files/jobs.ts';
import { Limits } from '../../server/limits/limits.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish } from '../factories.ts';
import { openSite, type Person, refusal, type Site } from '../site.ts';
import { bucketPath, carry, multipart, objectPath, start, step, upload } from '../storage.ts';

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

describeEngines('security of files', ({ site, location }) => {
  it('8. gives neither file nor thumbnail to who lost the post, in any form', async () => {
    const s = await site();
    const [admin, friend, stranger] = [await s.admin(), await s.member(['friends']), await s.member()];
    const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    const file = await upload(s, admin, 'posts/1_a.bin', 'bytes of a friend');
    await carry(s, postId, file.id);
    const described = await (await s.request(objectPath(file.name), friend)).json();
    const etag = (await s.request(file.url, friend)).headers.get('etag') ?? '';
    const media = `${objectPath(file.name)}?alt=media&token=${described.downloadTokens}`;
    const forms: [string, RequestInit][] = [
      [file.url, {}],
      [`${file.url}?width=480`, {}],
      [file.url, { method: 'HEAD' }],
      [file.url, { headers: { range: 'bytes=0-1' } }],
      [file.url, { headers: { 'if-none-match': etag } }],
      [media, {}],
    ];
    const statuses = async (as: Person) =>
      await Promise.all(forms.map(async ([path, init]) => (await s.request(path, as, init)).status));
    expect(await statuses(friend)).toEqual([200, 200, 200, 206, 304, 200]);
    // The token stands for the friend to whom it was given, whoever holds it.
    expect(await statuses(stranger)).toEqual([404, 404, 404, 404, 404, 200]);
    await s.call(admin, 'updatePost', { postId, ...essay({ tags: ['friends', 'secret'] }) });
    for (const person of [null, stranger, friend]) {
      expect(await statuses(person)).toEqual([404, 404, 404, 404, 404, 404]);
    }
    await s.call(admin, 'deletePost', { postId });
    for (const person of [null, friend, admin]) {
      expect(await statuses(person)).toEqual([404, 404, 404, 404, 404, 404]);
    }
    // With the post, not at some later sweep.
    expect(await lying(s, 'files')).toEqual([]);
  });

  it('30. serves nothing that a browser would run', async () => {
    const s = await site();
    const admin = await s.admin();
    const script = '<script>alert(1)</script>';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`;
    const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#333' } })
      .gif()
      .toBuffer();
    for (const [name, bytes, type] of [
      ['a.html', `<!doctype html>${script}`, 'text/html;'],
      ['a.xhtml', `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`, 'application/xhtml+xml'],
      ['a.svg', svg, 'image/svg+xml'],
      ['a.svg.png', `<?xml version="1.0"?><!-- x -->\n${svg}`, 'image/png'],
      ['a.xml', '<?xml version="1.0"?><?xml-stylesheet href="#"?><x/>', 'text/xml'],
      ['a.js', 'alert(1)', 'text/javascript'],
      ['a.pdf', `%PDF-1.7 ${script}`, 'application/pdf'],
      ['a.txt', script, 'TEXT/HTML; charset=utf-7'],
      ['gifar.gif', Buffer.concat([picture, Buffer.from(`PK\x03\x04 ${script}`)]), 'text/html'],
    ] as const) {
      const file = await upload(s, admin, name, bytes, type);
      for (const contentType of ['text/html', 'image/svg+xml', 'application/xhtml+xml']) {
        await s.request(objectPath(name), admin, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ contentType, contentDisposition: 'inline' }),
        });
      }
      const answer = await s.request(file.url, admin);
      const { headers } = answer;
      expect([name, headers.get('content-type')]).toEqual([
        name,
        expect.not.stringMatching(/html|javascript|text\/xml/),
      ]);
      const isPicture = headers.get('content-type') === 'image/gif';
      expect(headers.get('content-disposition')).toMatch(isPicture ? /^inline;/ : /^attachment;/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'$/);
      // What follows a picture is not part of it.
      if (isPicture) expect(await answer.text()).not.toContain('script');
    }
  });

  it('31. takes no header from a client, and encodes names', async () => {
    const s = await site();
    const admin = await s.admin();
    const evil = 'a"\r\nset-cookie: x=y\r\n\r\n<script>';
    for (const metadata of [
      { contentDisposition: evil },
      { cacheControl: evil },
      { contentType: evil },
      { contentLanguage: 'x'.repeat(10_000) },
      { metadata: { name: 'x'.repeat(10_000) } },
    ]) {
      const { status } = await s.request(bucketPath('a.bin'), admin, multipart('x', metadata));
      expect([metadata, status]).toEqual([metadata, 400]);
    }
    const name = 'Grüße "an"; alle\r\n\u202e/../../x\u0000.txt';
    const sent = multipart('x', { contentType: 'text/plain', metadata: { name } });
    const { url } = await (await s.request(bucketPath('posts/1_a.txt'), admin, sent)).json();
    expect(url).toMatch(/^\/files\/[\w-]{16}\/x\.txt$/);
    const plain = multipart('x', { metadata: { name: 'Grüße "an"; (alle)*.txt' } });
    const file = await (await s.request(bucketPath('posts/2_a.txt'), admin, plain)).json();
    const { headers } = await s.request(file.url, admin);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _an__ _alle__.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22an%22%3B%20%28alle%29%2A.txt`,
    );
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('46. names nothing on the disk by what somebody called it', async () => {
    const s = await site();
    const admin = await s.admin();
    const { dataDir } = s.config;
    await mkdir(join(dataDir, 'files'));
    await writeFile(join(dataDir, 'outside'), 'untouched');
    await symlink(join(dataDir, 'outside'), join(dataDir, 'files', 'link'));
    const refused = ['..', 'a/..', '../x', 'a\\..\\x', 'a\0b', '/etc/passwd', 'a//b', 'x'.repeat(3_000), ''];
    for (const name of refused) {
      const { status } = await s.request(bucketPath(name), admin, multipart('x'));
      expect([name.slice(0, 20), status]).toEqual([name.slice(0, 20), 400]);
    }
    const allowed = ['%2e%2e%2fx', 'CON', 'con', 'dots.', 'link', 'outside', 'é', 'e\u0301', '__proto__'];
    const ids = [];
    for (const name of allowed) ids.push((await upload(s, admin, name, name)).id);
    // Twins by case or by composition are files of their own.
    for (const name of allowed) {
      expect(await (await s.request(`${objectPath(name)}?alt=media`, admin)).text()).toBe(name);
    }
    expect((await lying(s, 'files')).sort()).toEqual([...ids, 'link'].sort());
    expect(await readFile(join(dataDir, 'outside'), 'utf8')).toBe('untouched');
    for (const path of ['/files/..%2foutside', '/files/link', '/files/outside']) {
      expect([path, (await s.request(path, admin)).status]).toEqual([path, 404]);
    }
  });

  it('47. cuts off what is larger than announced or allowed, and keeps nothing of it', async () => {
    const s = await openSite(await location(), { FILE_MAX_MIB: '1', FILES_QUOTA_MIB: '2' });
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
      expect((await s.request('/v0/b/coterie/o?name=x', admin, multipart('x'))).status).toBe(200);
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

  it('47. counts uploads, not the steps of one that was let in, and says so at once', async () => {
    const s = await site();
    const admin = await s.admin();
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

  it('48. refuses pictures that would fill the memory, and lives', async () => {
    const s = await site();
    const admin = await s.admin();
    const status = async (bytes: Uint8Array | string) =>
      (await s.request(bucketPath('a'), admin, multipart(bytes))).status;
    const picture = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#333' } })
      .png()
      .toBuffer();
    const huge = Buffer.from(picture);
    huge.writeUInt32BE(50_000, 16);
    huge.writeUInt32BE(50_000, 20);
    // A frame of a GIF is a dozen bytes: so many decode into gigabytes.
    const frame = Buffer.from('\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1');
    const screen = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
    const frames = Buffer.concat([screen, ...Array.from({ length: 10_000 }, () => frame), Buffer.from(';')]);
    const bomb = `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(100)}">${Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i} "&a;&a;">`).join('')}]><svg>&a9;</svg>`;
    expect(await Promise.all([huge, frames, picture.subarray(0, 60)].map(status))).toEqual([413, 413, 400]);
    // Nothing here reads an SVG or a film's pictures: these are only stored.
    expect(await status(bomb)).toBe(200);
    const film = Buffer.from(
      '\0\0\0\x18ftypmp42\0\0\0\0mp42isom\xff\xff\xff\xffmoov\0\0\0\x01trak',
      'latin1',
    );
    expect(await status(film)).toBe(200);
    expect((await s.request(`${objectPath('a')}?alt=media`, admin)).status).toBe(200);
  });

  it('49. answers bodies that are no multipart with 400', async () => {
    const s = await site();
    const admin = await s.admin();
    const good = multipart('x');
    const part = '--00001234567890\r\nContent-Type: text/plain\r\n\r\n';
    const broken: [string, string][] = [
      ['multipart/related', good.body?.toString() ?? ''],
      ['multipart/related; boundary=', good.body?.toString() ?? ''],
      ['multipart/form-data; boundary=00001234567890', good.body?.toString() ?? ''],
      ['multipart/related; boundary=other', good.body?.toString() ?? ''],
      ['', `${part}{}\r\n${part}no end`],
      ['', `${part}{}\r\n--00001234567890--`],
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

  it('50. makes one right file of whatever two writers send at once', async () => {
    const s = await site();
    const admin = await s.admin();
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

  it('51. keeps what a saved post uses, and loses what none does, whatever happens between', async () => {
    const s = await site();
    const admin = await s.admin();
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
    // The post goes while an upload for it is on its way: what has come by then belongs to its uploader, and is swept.
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

  it('52. lets nobody overwrite what a post shows', async () => {
    const s = await site();
    const [admin, other, member] = [await s.admin(), await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, essay());
    const file = await upload(s, admin, 'posts/1_a.png', 'first');
    await carry(s, postId, file.id);
    const over = multipart('<script>alert(1)</script>', {}, 'text/html');
    const attempts = [null, member, other, admin].map(
      async as => (await s.request(bucketPath(file.name), as, over)).status,
    );
    expect(await Promise.all(attempts)).toEqual([401, 403, 403, 403]);
    const url = await start(s, other, file.name, 4);
    expect((await step(s, other, url, 'upload, finalize', { offset: 0, body: 'evil' })).status).toBe(403);
    expect(await (await s.request(file.url)).text()).toBe('first');
    // On no post yet it is replaced: by another file with an address and tokens of its own.
    const free = await upload(s, admin, 'posts/2_a.bin', 'one');
    const replaced = await upload(s, other, 'posts/2_a.bin', 'two');
    expect(replaced.id).not.toBe(free.id);
    const byOld = await s.request(`${objectPath(free.name)}?alt=media&token=${free.downloadTokens}`);
    expect([byOld.status, (await s.request(free.url, admin)).status]).toEqual([404, 404]);
  });

  it('53. lets a download token do nothing but download', async () => {
    const s = await site();
    const admin = await s.admin();
    const { name, downloadTokens } = await upload(s, admin, 'posts/1_a.bin', 'x');
    const ask = async (method: string, path: string, init: RequestInit = {}) =>
      (
        await s.request(`${path}${path.includes('?') ? '&' : '?'}token=${downloadTokens}`, null, {
          ...init,
          method,
        })
      ).status;
    const json = { headers: { 'content-type': 'application/json' }, body: '{}' };
    expect({
      media: await ask('GET', `${objectPath(name)}?alt=media`),
      describe: await ask('GET', objectPath(name)),
      change: await ask('PATCH', objectPath(name), json),
      delete: await ask('DELETE', objectPath(name)),
      list: await ask('GET', '/v0/b/coterie/o'),
      upload: await ask('POST', bucketPath('y'), multipart('y')),
      start: await ask('POST', bucketPath('y'), {
        headers: { 'x-goog-upload-protocol': 'resumable' },
        body: '{}',
      }),
      call: await ask('POST', '/api/listPosts', { ...json, body: '{"data":{}}' }),
    }).toEqual({
      media: 200,
      describe: 404,
      change: 401,
      delete: 401,
      list: 401,
      upload: 401,
      start: 401,
      call: 401,
    });
    // A token that was changed in any part opens nothing.
    for (const position of [0, 20, 38, downloadTokens.length - 2]) {
      const character = downloadTokens[position] === 'A' ? 'B' : 'A';
      const forged = `${downloadTokens.slice(0, position)}${character}${downloadTokens.slice(position + 1)}`;
      expect((await s.request(`${objectPath(name)}?alt=media&token=${forged}`)).status).toBe(404);
    }
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
