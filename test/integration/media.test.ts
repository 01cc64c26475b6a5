import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { bucketPath, multipart, objectPath } from '../support/multipart.ts';
import { upload } from '../support/storage.ts';

describeEngines(({ siteWithAdmin }) => {
  it('the address of a file answers ranges and conditions', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await upload(s, admin, 'a.bin', '0123456789');
    const get = async (headers: Record<string, string>, method = 'GET') => {
      const response = await s.request(url, admin, { method, headers });
      return [response.status, response.headers.get('content-range'), await response.text()];
    };
    const etag = (await s.request(url, admin)).headers.get('etag') ?? '';
    expect(await get({})).toEqual([200, null, '0123456789']);
    expect(await get({ range: 'bytes=2-4' })).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await get({ range: 'bytes=8-99' })).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await get({ range: 'bytes=-3' })).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await get({ range: 'bytes=-99' })).toEqual([206, 'bytes 0-9/10', '0123456789']);
    expect(await get({ range: 'bytes=7-' })).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await get({ range: 'bytes=10-' })).toEqual([416, 'bytes */10', '']);
    expect(await get({ range: 'bytes=0-1,4-5' })).toEqual([200, null, '0123456789']);
    expect(await get({ range: 'bytes=4-2' })).toEqual([200, null, '0123456789']);
    expect(await get({ range: 'bytes=0-1', 'if-none-match': etag })).toEqual([304, null, '']);
    // As fetch sends it, which adds the two headers on its own.
    const reload = { 'cache-control': 'no-cache', pragma: 'no-cache' };
    expect(await get({ range: 'bytes=0-1', 'if-none-match': etag, ...reload })).toEqual([304, null, '']);
    expect(await get({ 'if-none-match': `"older", W/${etag}` })).toEqual([304, null, '']);
    expect(await get({ range: 'bytes=0-1', 'if-range': '"other"' })).toEqual([200, null, '0123456789']);
    expect(await get({ range: 'bytes=0-1' }, 'HEAD')).toEqual([206, 'bytes 0-1/10', '']);
    const empty = await upload(s, admin, 'empty.bin', '');
    const answer = await s.request(empty.url, admin, { headers: { range: 'bytes=0-4' } });
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '0']);
  });

  it('the site lets other sites show files that every visitor may see, and no others', async () => {
    const [s, admin] = await siteWithAdmin();
    const [open, closed] = [await upload(s, admin, 'o.bin', 'o'), await upload(s, admin, 'c.bin', 'c')];
    const [postId = ''] = await publish(s, admin, essay({ content: `![](${open.url})` }));
    await publish(s, admin, essay({ content: `![](${closed.url})`, tags: ['friends'] }));
    const mayShow = async (url: string) =>
      (await s.request(url, admin)).headers.get('cross-origin-resource-policy');
    expect([await mayShow(open.url), await mayShow(closed.url)]).toEqual(['cross-origin', 'same-origin']);
    const shut = essay({ content: `![](${open.url})`, tags: ['friends'] });
    await s.call(admin, 'updatePost', { postId, ...shut });
    expect(await mayShow(open.url)).toBe('same-origin');
  });

  it('the site detects types by content, and lets no file run scripts', async () => {
    const [s, admin] = await siteWithAdmin();
    const types: Record<string, [string, string]> = {};
    const page = '<!doctype html><script>alert(1)</script>';
    for (const [name, bytes, declared] of [
      ['page.html', page, 'text/html'],
      [
        'drawing.svg',
        '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        'image/svg+xml',
      ],
      ['script.js', 'alert(1)', 'text/javascript'],
      ['a.pdf', '%PDF-1.7 x', 'text/html;charset=utf-8'],
      ['a.csv', 'a,b', 'text/csv'],
      ['a.mp4', '\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'text/html'],
    ] as const) {
      const file = await upload(s, admin, name, bytes, declared);
      const answer = await s.request(`${objectPath(name)}?alt=media`, admin);
      types[name] = [
        answer.headers.get('content-type') ?? '',
        (answer.headers.get('content-disposition') ?? '').split(';')[0] ?? '',
      ];
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
      expect(file.contentType).toBe(types[name]?.[0]);
    }
    expect(types).toEqual({
      'page.html': ['application/octet-stream', 'attachment'],
      'drawing.svg': ['image/svg+xml', 'attachment'],
      'script.js': ['application/octet-stream', 'attachment'],
      'a.pdf': ['application/pdf', 'attachment'],
      'a.csv': ['text/csv', 'attachment'],
      'a.mp4': ['video/mp4', 'inline'],
    });
    for (const declared of ['image/png', 'IMAGE/SVG+XML; charset=utf-8', 'image/heic']) {
      const refused = await s.request(
        bucketPath('page.png'),
        admin,
        multipart(page, { contentType: declared }),
      );
      expect([refused.status, await refused.json()]).toEqual([
        403,
        {
          error: {
            code: 403,
            message:
              'This picture is damaged or not of the type its name says. Please save it as JPEG or PNG.',
          },
        },
      ]);
    }
    expect((await s.request(objectPath('page.png'), admin)).status).toBe(404);
    const patch = await s.request(objectPath('page.html'), admin, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ contentType: 'text/html', contentDisposition: 'inline', name: 'b' }),
    });
    expect(await patch.json()).toMatchObject({
      name: 'posts/page.html',
      contentType: 'application/octet-stream',
    });
    const again = await s.request(`${objectPath('page.html')}?alt=media`, admin);
    expect(again.headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  it('the site removes metadata from videos and recordings, and reports the right checksum', async () => {
    const [s, admin] = await siteWithAdmin();
    const moov = '\0\0\0\x22moov\0\0\0\x1audta\0\0\0\x12\xa9namSecrettown';
    const boxed = (brand: string) => Buffer.from(`\0\0\0\x10ftyp${brand}\0\0\0\0${moov}`, 'latin1');
    const webm = '\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\xff\x12\x54\xc3\x67\x8aSecrettown';
    for (const [name, type, bytes] of [
      ['a.mp4', 'video/mp4', boxed('isom')],
      ['a.mov', 'video/quicktime', boxed('qt  ')],
      ['a.m4a', 'audio/mp4', boxed('M4A ')],
      ['a.webm', 'video/webm', Buffer.from(webm, 'latin1')],
    ] as const) {
      expect([name, bytes.includes('Secrettown')]).toEqual([name, true]);
      const { url, contentType } = await upload(s, admin, name, bytes);
      const stored = Buffer.from(await (await s.request(url, admin)).arrayBuffer());
      expect([name, contentType, stored.length]).toEqual([name, type, bytes.length]);
      expect([name, stored.includes('Secret')]).toEqual([name, false]);
      const { md5Hash } = await (await s.request(objectPath(name), admin)).json();
      expect([name, md5Hash]).toEqual([name, createHash('md5').update(stored).digest('base64')]);
    }
  });
});
