import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { bucketPath, multipart, objectPath } from '../support/multipart.ts';
import { type Person, refusal, type Site } from '../support/site.ts';
import { carry, start, step, upload } from '../support/storage.ts';

const lying = async (site: Site, folder: string) =>
  await readdir(join(site.config.dataDir, folder)).catch(() => []);

describeEngines(({ site, siteWithAdmin }) => {
  it('8. the site gives neither file nor thumbnail to a reader who has lost the post, in any form', async () => {
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
    // A token gives its holder the rights of the friend for whom it was made.
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

  it('8. the site recognises the address of a file in every spelling', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const picture = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#333', noise } })
      .png()
      .toBuffer();
    const file = await upload(s, admin, 'posts/1_a.png', picture);
    const [start, id = ''] = [file.url.slice(0, '/files/'.length), file.url.slice('/files/'.length)];
    const content = `![a](${start}&#${id.charCodeAt(0)};${id.slice(1)})`;
    expect(await refusal(s.call(other, 'createPost', essay({ content })))).toBe('invalid-argument');
    await s.call(admin, 'createPost', essay({ content }));
    expect((await s.request(file.url)).status).toBe(200);
  });

  it('30. the site serves no file that a browser would run', async () => {
    const [s, admin] = await siteWithAdmin();
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

  it('31. the site uses no header of a client for a file, and encodes names', async () => {
    const [s, admin] = await siteWithAdmin();
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
    // The end of a name says what it is, so nothing may turn it round.
    const turned = bucketPath('posts/3_ev\u202egpj.exe');
    const { url: shown } = await (await s.request(turned, admin, multipart('x'))).json();
    expect((await s.request(shown, admin)).headers.get('content-disposition')).toContain(
      'filename=3_evgpj.exe',
    );
    const plain = multipart('x', { metadata: { name: 'Grüße "an"; (alle)*.txt' } });
    const file = await (await s.request(bucketPath('posts/2_a.txt'), admin, plain)).json();
    const { headers } = await s.request(file.url, admin);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Gr??e \\"an\\"; (alle)*.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22an%22%3B%20%28alle%29%2A.txt`,
    );
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('an account uploads no more than so many files a day, however small they are', async () => {
    const [s, admin] = await siteWithAdmin();
    // Two files a day.
    s.deps.limits = new Limits(2 / 10_000);
    const status = async (name: string, as: Person) =>
      (await s.request(bucketPath(name), as, multipart('x'))).status;
    const statuses = [await status('a', admin), await status('b', admin), await status('c', admin)];
    expect(statuses).toEqual([200, 200, 402]);
    s.wait(60_000);
    expect(await status('d', admin)).toBe(402);
  });

  it('46. the site uses no name of a client for a path on disk', async () => {
    const [s, admin] = await siteWithAdmin();
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

  it('52. the site lets nobody overwrite a file that a post shows', async () => {
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

  it('53. the site accepts a download token only for downloads', async () => {
    const [s, admin] = await siteWithAdmin();
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
