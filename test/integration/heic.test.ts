import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { describeSqlite } from '../support/engines.ts';
import { gridOf } from '../support/heif.ts';
import { bucketPath, multipart } from '../support/multipart.ts';
import { endProcesses, startedProcesses } from '../support/started-processes.ts';
import { upload } from '../support/storage.ts';

const photo = await readFile(join(import.meta.dirname, '../fixtures/heic/photo.heic'));

/** The photo, which says that it has this size (`ispe`, ISO/IEC 23008-12, 6.5.3), and holds what it held. */
function sayingSize(width: number, height: number): Buffer {
  const bytes = Buffer.from(photo);
  const at = bytes.indexOf('ispe');
  bytes.writeUInt32BE(width, at + 8);
  bytes.writeUInt32BE(height, at + 12);
  return bytes;
}

describeSqlite(({ siteWithAdmin }) => {
  it('a HEIC picture is stored as a JPEG in its own colours, without what the phone wrote into it', async () => {
    const [s, admin] = await siteWithAdmin();
    expect(photo.includes('Canary')).toBe(true);
    const { url, contentType } = await upload(s, admin, 'IMG_1.HEIC', photo, 'image/heic');
    expect([contentType, url.split('/').at(-1)]).toEqual(['image/jpeg', 'IMG_1.jpg']);
    const answer = await s.request(url, admin);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    const served = Buffer.from(await answer.arrayBuffer());
    const { width, height, icc, exif } = await sharp(served).metadata();
    expect([width, height, exif]).toEqual([160, 120, undefined]);
    // The name of a profile is in UTF-16 (ICC.1, 10.15).
    expect(icc?.includes(Buffer.from('\0s\0P\x003\0C'))).toBe(true);
    expect(served.includes('Canary')).toBe(false);
    const colourAt = async (left: number) => {
      const pixel = await sharp(served, { ignoreIcc: true })
        .extract({ left, top: 60, width: 1, height: 1 })
        .raw()
        .toBuffer();
      return [...pixel];
    };
    const [[red = 0, , paleBlue = 0] = [], [paleRed = 0, , blue = 0] = []] = [
      await colourAt(20),
      await colourAt(140),
    ];
    expect([red > 190, paleBlue < 60, blue > 190, paleRed < 60]).toEqual([true, true, true, true]);
    const file = await s.deps.db.selectFrom('files').selectAll().executeTakeFirstOrThrow();
    expect(file).toMatchObject({ width: 160, height: 120, type: 'image/jpeg', size: served.length });
  });

  it('a HEIC picture that is too large, or that holds more pixels than it says, is refused before it is decoded', async () => {
    const [s, admin] = await siteWithAdmin();
    const refusalOf = async (bytes: Buffer) => {
      const answer = await s.request(bucketPath('a.heic'), admin, multipart(bytes, {}, 'image/heic'));
      return [answer.status, (await answer.json()).error.message];
    };
    const large = { width: 9_000, height: 9_000 };
    const ofLarge = gridOf(photo, { width: 90, height: 90 }, large);
    for (const bytes of [sayingSize(large.width, large.height), ofLarge])
      expect(await refusalOf(bytes)).toEqual([
        413,
        'This HEIC picture has more than 30 million pixels. Please save it as JPEG.',
      ]);
    // Tiles may reach beyond the edges: this one is only not what it says.
    expect(
      await refusalOf(gridOf(photo, { width: 90, height: 90 }, { width: 6_656, height: 4_608 })),
    ).toEqual([403, expect.stringContaining('Please save it as JPEG')]);
    expect(await refusalOf(sayingSize(1, 1))).toEqual([
      403,
      expect.stringContaining('Please save it as JPEG'),
    ]);
  });

  it('the process of a HEIC picture ends with it, and one that dies refuses its picture alone', async () => {
    const [s, admin] = await siteWithAdmin();
    // It ends the process that an earlier picture may have left.
    await upload(s, admin, 'a.heic', photo, 'image/heic');
    let isDying = true;
    await endProcesses('media-process');
    using _ = startedProcesses(child => isDying && child.kill('SIGKILL'));
    const answer = await s.request(bucketPath('b.heic'), admin, multipart(photo, {}, 'image/heic'));
    expect([answer.status, (await answer.json()).error.message]).toEqual([
      413,
      'Reading this picture takes too much time or memory. Please save it as a smaller JPEG.',
    ]);
    isDying = false;
    const { contentType } = await upload(s, admin, 'c.heic', photo, 'image/heic');
    expect(contentType).toBe('image/jpeg');
  });

  it('a HEIC picture that cannot be read is refused with a sentence', async () => {
    const [s, admin] = await siteWithAdmin();
    const cut = photo.subarray(0, photo.length - 300);
    for (const bytes of [cut, Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')]) {
      const answer = await s.request(bucketPath('a.heic'), admin, multipart(bytes, {}, 'image/heic'));
      expect(answer.status).toBe(403);
      expect((await answer.json()).error.message).toBe(
        'Browsers cannot show this kind of picture. Please save it as JPEG.',
      );
    }
  });
});
