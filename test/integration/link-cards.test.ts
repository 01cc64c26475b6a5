import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { describePage } from '../../server/links/describe.ts';
import { describeEngines } from '../support/engines.ts';
import { gridOf } from '../support/heif.ts';
import { listen } from '../support/listen.ts';
import { refusal } from '../support/site.ts';

const reach = { isAllowed: (address: string) => address === '127.0.0.1', isAllowedPort: () => true };

describeEngines(({ site, siteWithAdmin }) => {
  it('the picture of a linked page is kept small, as a file of the author, and what is none is left out', async () => {
    const [s, admin] = await siteWithAdmin();
    const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#a63' } })
      .jpeg()
      .withExif({ IFD0: { Make: 'Secretcamera' } })
      .toBuffer();
    const huge = { width: 4_000, height: 4_000 };
    const bomb = await sharp({ create: { ...huge, channels: 3, background: '#a63' } })
      .avif({ effort: 0 })
      .toBuffer();
    const server = createServer((request, response) => {
      if (request.url === '/rain.jpg') return response.end(picture);
      if (request.url === '/bomb.avif') return response.end(gridOf(bomb, { width: 90, height: 90 }, huge));
      const image = { '/': '/rain.jpg', '/heavy': '/bomb.avif' }[request.url ?? ''] ?? '/';
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<title>On rain</title><meta property="og:image" content="${image}">`);
    });
    await listen(server);
    const address = (path: string) =>
      new URL(path, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const viewer = await viewerOfUser(s.deps.db, admin.id, new Set());
    const { page: described } = await describePage(s.deps, viewer, address('/'), reach);
    expect(described).toMatchObject({ title: 'On rain', sentence: '' });
    const kept = await s.request(described?.picture ?? '', admin);
    const bytes = Buffer.from(await kept.arrayBuffer());
    const { format, width, height } = await sharp(bytes).metadata();
    expect([format, width, height, bytes.includes('Secret')]).toEqual(['webp', 480, 320, false]);
    expect((await s.request(described?.picture ?? '', await s.member())).status).toBe(404);
    for (const path of ['/other', '/heavy'])
      expect((await describePage(s.deps, viewer, address(path), reach)).page?.picture).toBeNull();
    server.close();
  });

  it('only authors may ask for the card of a link, and never for an inner address', async () => {
    const s = await site();
    const ask = { url: 'http://127.0.0.1:1/' };
    expect(await refusal(s.call(await s.member(), 'describeLink', ask))).toBe('permission-denied');
    expect(await s.call(await s.admin(), 'describeLink', ask)).toEqual({ page: null });
    expect(await refusal(s.call(await s.admin(), 'describeLink', { url: 'file:///etc/passwd' }))).toBe(
      'invalid-argument',
    );
  });
});
