import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { makeNextVariants } from '../../server/files/make-variants.ts';
import { describeSqlite } from '../support/engines.ts';
import { bucketPath, multipart, objectPath } from '../support/multipart.ts';
import { hugePicture, pngChunk } from '../support/pictures.ts';
import type { Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';

const filesIn = async (site: Site, folder: string) =>
  await readdir(join(site.config.dataDir, folder)).catch(() => []);

describeSqlite(({ siteWithAdmin }) => {
  it('the site removes place and time from photos, and keeps them upright', async () => {
    const [s, admin] = await siteWithAdmin();
    const photo = sharp({ create: { width: 1_200, height: 800, channels: 3, background: '#a63' } })
      .withExif({
        IFD0: { Make: 'Secretcamera' },
        IFD3: { GPSLatitude: '48/1 12/1 30/1', GPSLatitudeRef: 'N' },
      })
      .withMetadata({ orientation: 6 });
    const upright = { width: 800, height: 1_200 };
    for (const [name, bytes] of [
      ['a.jpg', await photo.clone().jpeg().toBuffer()],
      ['a.png', await photo.clone().png().toBuffer()],
      ['a.webp', await photo.clone().webp().toBuffer()],
      ['a.avif', await photo.clone().avif({ effort: 0 }).toBuffer()],
    ] as const) {
      expect([name, bytes.includes('Secretcamera')]).toEqual([name, true]);
      const { url, size } = await upload(s, admin, name, bytes);
      const stored = Buffer.from(await (await s.request(url, admin)).arrayBuffer());
      const { autoOrient } = await sharp(stored).metadata();
      expect([name, stored.includes('Secretcamera'), stored.includes('GPS'), Number(size)]).toEqual([
        name,
        false,
        false,
        stored.length,
      ]);
      const row = await s.deps.db
        .selectFrom('files')
        .select(['width', 'height'])
        .where('path', '=', `posts/${name}`)
        .executeTakeFirstOrThrow();
      // JPEG and PNG say how they are turned, as AVIF does in boxes of its own; WebP is stored upright.
      expect([name, row, autoOrient]).toEqual([name, upright, upright]);
    }
  });

  it('the site serves a picture as it is where decoding would take too much memory', async () => {
    const [s, admin] = await siteWithAdmin();
    const large = sharp({ create: { width: 5_100, height: 5_000, channels: 3, background: '#a63' } });
    const avif = await large
      .withExif({ IFD0: { Make: 'Secretcamera' } })
      .avif({ effort: 0 })
      .toBuffer();
    // 16 bits for each of four channels, in seven passes over 119 million pixels. Its data are never read.
    const head = Buffer.alloc(13);
    head.writeUInt32BE(10_900, 0);
    head.writeUInt32BE(10_900, 4);
    head.set([16, 6, 0, 0, 1], 8);
    const png = Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      pngChunk('IHDR', head),
      pngChunk('IDAT', deflateSync(Buffer.alloc(20_000))),
      pngChunk('IEND', Buffer.alloc(0)),
    ]);
    // The same number of pixels, of which all coefficients are held until the last pass.
    const jpeg = await sharp({ create: { width: 16, height: 16, channels: 3, background: '#a63' } })
      .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
      .toBuffer();
    const frame = jpeg.indexOf(Buffer.from('ffc2', 'hex'));
    for (const at of [5, 7]) jpeg.writeUInt16BE(10_900, frame + at);
    for (const [name, bytes] of [
      ['a.avif', avif],
      ['a.png', png],
      ['a.jpg', jpeg],
    ] as const) {
      const { url, id } = await upload(s, admin, name, bytes);
      const stored = Buffer.from(await (await s.request(`${url}?width=480`, admin)).arrayBuffer());
      expect([name, stored.length, stored.includes('Secret')]).toEqual([name, bytes.length, false]);
      const row = await s.deps.db
        .selectFrom('files')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      expect([row.variants, row.placeholder]).toEqual(['[]', null]);
    }
    expect(await makeNextVariants(s.deps)).toBe(false);
  });

  it('the site takes animations by the size of a frame, and AVIF that its decoder does not know', async () => {
    const [s, admin] = await siteWithAdmin();
    const frame = Buffer.from('\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1');
    const screen = Buffer.from('GIF89a\xb0\x04\xb0\x04\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
    const gif = Buffer.concat([screen, ...Array.from({ length: 100 }, () => frame), Buffer.from(';')]);
    const still = sharp({ create: { width: 64, height: 48, channels: 3, background: '#a63' } });
    const moving = await still.avif({ effort: 0 }).toBuffer();
    moving.write('avis', 8, 'latin1');
    await upload(s, admin, 'a.gif', gif);
    await upload(s, admin, 'a.avif', moving);
    const rows = await s.deps.db
      .selectFrom('files')
      .select(['type', 'width', 'height'])
      .orderBy('type')
      .execute();
    expect(rows).toEqual([
      { type: 'image/avif', width: 64, height: 48 },
      { type: 'image/gif', width: 1_200, height: 1_200 },
    ]);
  });

  it('the site makes the sizes of a screenshot that is higher than a WebP can be', async () => {
    const [s, admin] = await siteWithAdmin();
    const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
    const tall = sharp({ create: { width: 500, height: 18_000, channels: 3, background: '#a63', noise } });
    const { url } = await upload(s, admin, 'a.png', await tall.png({ compressionLevel: 1 }).toBuffer());
    while (await makeNextVariants(s.deps));
    const answer = await s.request(`${url}?width=480`, admin);
    const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    expect([answer.headers.get('content-type'), width, height]).toEqual(['image/jpeg', 480, 17_280]);
  });

  it('the site tells of a picture whose end is missing', async () => {
    const [s, admin] = await siteWithAdmin();
    const whole = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#a63' } })
      .jpeg()
      .toBuffer();
    const answer = await s.request(
      bucketPath('a.jpg'),
      admin,
      multipart(whole.subarray(0, whole.length / 2)),
    );
    expect([answer.status, (await answer.json()).error.message]).toEqual([
      403,
      'This picture is incomplete: its end is missing. Please upload it again.',
    ]);
  });

  it('the site makes smaller sizes in the background, and keeps animations', async () => {
    const [s, admin] = await siteWithAdmin();
    const noise = sharp({
      create: {
        width: 1_500,
        height: 900,
        channels: 3,
        background: '#a63',
        noise: { type: 'gaussian', mean: 120, sigma: 40 },
      },
    });
    const photo = await upload(s, admin, 'a.jpg', await noise.jpeg({ quality: 95 }).toBuffer());
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map(background =>
        sharp({ create: { width: 600, height: 40, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const moving = await upload(
      s,
      admin,
      'a.gif',
      await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer(),
    );
    const sizeOf = async (address: string) => {
      const bytes = Buffer.from(await (await s.request(address, admin)).arrayBuffer());
      const { width, format, pages } = await sharp(bytes).metadata();
      return { width, format, pages };
    };
    expect(await sizeOf(`${photo.url}?width=480`)).toMatchObject({ width: 1_500, format: 'jpeg' });
    while (await makeNextVariants(s.deps));
    expect(await sizeOf(`${photo.url}?width=480`)).toMatchObject({ width: 480, format: 'webp' });
    expect(await sizeOf(`${photo.url}?width=500`)).toMatchObject({ width: 720, format: 'webp' });
    expect(await sizeOf(`${photo.url}?width=3000`)).toMatchObject({ width: 1_500, format: 'jpeg' });
    expect(await sizeOf(`${moving.url}?width=480`)).toEqual({ width: 600, format: 'gif', pages: 3 });
    await s.request(objectPath('a.jpg'), admin, { method: 'DELETE' });
    expect(await filesIn(s, 'files')).toEqual([moving.id]);
  });

  it('the site refuses pictures that are bombs, damaged, or whose metadata cannot be removed', async () => {
    const [s, admin] = await siteWithAdmin();
    const status = async (bytes: Uint8Array | string) =>
      (await s.request(bucketPath('a'), admin, multipart(bytes))).status;
    const { picture, huge } = await hugePicture();
    const withPage = Buffer.concat([picture, Buffer.from('<script>alert(1)</script>')]);
    expect([
      await status(huge),
      await status(picture.subarray(0, 40)),
      await status(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
      await status(Buffer.from('\xff\xd8\xff\xe1\xff\xff', 'latin1')),
      await status('GIF89a'),
      await status('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
    ]).not.toContain(200);
    const { url } = await upload(s, admin, 'b.png', withPage);
    expect(await (await s.request(url, admin)).text()).not.toContain('script');
  });
});
