import { expect, it } from 'vitest';
import { nextPath } from '../../contract/next-path.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { bucketPath, multipart } from '../support/multipart.ts';
import { refusal } from '../support/site.ts';

/** Addresses: what names a thing, and where the site leads to. */

describeEngines(({ site, siteWithAdmin }) => {
  it('20. the site stores a file under the name in the address, whatever the body says', async () => {
    const [s, admin] = await siteWithAdmin();
    const forged = {
      name: 'posts/other.bin',
      bucket: 'other',
      size: '1',
      generation: '1',
      downloadTokens: 'x',
    };
    const { name } = await (
      await s.request(bucketPath('posts/asked.bin'), admin, multipart('bytes', forged))
    ).json();
    expect(name).toBe('posts/asked.bin');
    const [mine = '', other = ''] = await publish(s, admin, shortPost('mine'), shortPost('other'));
    const input = { postId: mine, id: other, ...shortPost('changed') };
    expect(await refusal(s.call(admin, 'updatePost', input))).toBe('invalid-argument');
    expect((await s.call(null, 'getPost', { postId: mine })).post.content).toBe('mine');
    expect((await s.call(null, 'getPost', { postId: other })).post.content).toBe('other');
  });

  it('58. the site uses its configured address, whatever the Host header says', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId] = await publish(s, admin, essay());
    const forged = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
      'x-original-url': '/admin',
      'x-rewrite-url': '/admin',
    };
    const paths = ['/', `/post/${postId}`, '/feed.xml', '//post', '/admin', '/api/docs', '/api/openapi.json'];
    for (const origin of ['http://evil.example', s.config.publicUrl]) {
      for (const path of paths) {
        const answer = await s.app.request(`${origin}${path}`, { headers: forged, redirect: 'manual' });
        const text = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
        expect([path, answer.status < 400, text.includes('evil.example')]).toEqual([path, true, false]);
      }
    }
    const begun = await s.app.request(`http://evil.example${bucketPath('posts/a.bin')}`, {
      method: 'POST',
      headers: {
        ...forged,
        cookie: admin.cookie,
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
      },
      body: '{}',
    });
    expect(begun.headers.get('x-goog-upload-url')).toMatch(new RegExp(`^${s.config.publicUrl}/`));
  });

  it('36. the site redirects only to paths of its own', async () => {
    const s = await site();
    const paths = [
      '//evil.example',
      '///evil.example/x',
      '/.//evil.example',
      '/%5c%5cevil.example',
      '/%2f%2fevil.example',
      '/x/..//evil.example',
    ];
    for (const path of [
      ...paths,
      '/admin?next=//evil.example',
      '/profile?next=//evil.example',
      '/%ff//evil.example',
    ]) {
      const location = (await s.request(path, null, { redirect: 'manual' })).headers.get('location') ?? '/';
      expect([path, new URL(location, 'http://site.invalid').origin]).toEqual([path, 'http://site.invalid']);
      expect([path, nextPath(location) === '/' ? location : nextPath(location)]).toEqual([path, location]);
    }
  });

  it('14. the site decides equally for every spelling of a guarded path', async () => {
    const s = await site();
    const member = await s.member();
    const paths = [
      '/admin/mail',
      '/admin/history',
      '/admin/mail/',
      '//admin/mail',
      '/ADMIN/mail',
      '/admin%2fmail',
      '/%61dmin/mail',
      '/x/../admin/mail',
      '/admin/mail;x',
    ];
    for (const path of paths) {
      const response = await s.request(path, member, {
        redirect: 'manual',
        headers: { 'x-original-url': '/admin/mail', 'x-http-method-override': 'POST' },
      });
      expect([path, response.status, (await response.text()).includes('Queue')]).toEqual([path, 302, false]);
    }
  });
});
