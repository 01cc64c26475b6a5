import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { bucketPath, objectPath } from '../support/multipart.ts';
import { callOf } from '../support/site.ts';
import { upload } from '../support/storage.ts';

/** Requests that the pages of other sites make. */

describeEngines(({ siteWithAdmin }) => {
  it('34. the site accepts nothing from a page of another site, in any form that a browser sends', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay());
    const file = await upload(s, admin, 'posts/a.bin', 'bytes');
    const object = objectPath(file.name);
    const data = JSON.stringify({ data: { postId } });
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json',
      '',
    ];
    const origins: Record<string, string>[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'http://sub.localhost:3000', 'sec-fetch-site': 'same-site' },
      { origin: 'http://localhost:3001', 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ];
    const targets: [method: string, path: string][] = [
      ['POST', '/api/deletePost'],
      ['POST', '/api//deletePost'],
      ['POST', '/x/y/deletePost'],
      ['POST', '/api/signOut'],
      ['POST', '/api/signIn'],
      ['POST', '/api/setLike'],
      ['POST', '/login'],
      ['POST', '/signup'],
      ['DELETE', object],
      ['PATCH', object],
      ['POST', bucketPath('posts/b.bin')],
    ];
    for (const origin of origins) {
      for (const type of types) {
        for (const [method, path] of targets) {
          const headers = { ...origin, ...(type && { 'content-type': type }) };
          const { status } = await s.request(path, admin, { method, headers, body: data });
          expect([origin, type, method, path, status]).toEqual([origin, type, method, path, 403]);
        }
      }
      const live = await s.request(`/live?post=${postId}`, admin, { headers: origin });
      expect(live.status).toBe(403);
      await live.body?.cancel();
      expect(live.headers.get('access-control-allow-origin')).toBeNull();
    }
    // Without a word of where it comes from, as old browsers: no form can send the type that counts.
    for (const type of types.filter(one => one !== 'application/json')) {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      expect(
        (await s.request('/api/deletePost', admin, { method: 'POST', headers, body: data })).status,
      ).toBe(400);
    }
    const form = 'email=mina%40example.com&password=quincey';
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(form.length),
    };
    expect((await s.request('/login', null, { method: 'POST', headers, body: form })).status).toBe(403);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await s.request('/api/deletePost', admin, { method })).status).toBe(405);
    expect((await s.request(file.url, admin)).status).toBe(200);
    const own = { origin: s.config.publicUrl, 'sec-fetch-site': 'same-origin' };
    expect((await s.request('/api/getViewer', admin, callOf({}, own))).status).toBe(200);
    expect((await s.call(admin, 'getPost', { postId })).post.likeCount).toBe(0);
    expect(await s.deps.db.selectFrom('files').select('path').execute()).toEqual([{ path: 'posts/a.bin' }]);
  });

  it('35. the site uses only its own cookie, whatever cookies a sibling host sets', async () => {
    const [s, admin] = await siteWithAdmin();
    const cookie = `__FIREBASE_DEFAULTS__=eyJ4IjoxfQ; ${admin.cookie}; coterie-session_data=x`;
    const { user } = await s.call({ ...admin, cookie }, 'getViewer', {});
    expect(user?.id).toBe(admin.id);
  });
});
