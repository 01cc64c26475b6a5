import { expect, it } from 'vitest';
import { describeSqlite } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { upload } from '../support/storage.ts';

describeSqlite(({ siteWithAdmin }) => {
  it('an answer to HEAD has the status and the length that the one to GET has, and no body', async () => {
    const [s, admin] = await siteWithAdmin();
    const file = await upload(s, admin, 'a.bin', '0123456789');
    const [id] = await publish(s, admin, essay({ tags: [], content: `![](${file.url})` }));
    const paths = [
      '/',
      `/post/${id}`,
      '/tags/red',
      '/login',
      '/about',
      '/feed',
      '/feed.xml',
      '/healthz',
      '/readyz',
      '/manifest.webmanifest',
      '/api/openapi.json',
      '/api/getPosts',
      '/nowhere',
      '/files/nothing',
      file.url,
    ];
    for (const path of paths) {
      const got = await s.request(path);
      const head = await s.request(path, null, { method: 'HEAD' });
      const length = String((await got.arrayBuffer()).byteLength);
      const said = [path, head.status, head.headers.get('content-length'), await head.text()];
      expect(said).toEqual([path, got.status, length, '']);
    }
  });
});
