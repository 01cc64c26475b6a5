import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { makeNextVariants } from '../../server/files/make-variants.ts';
import { describeSqlite } from '../support/engines.ts';
import { upload } from '../support/storage.ts';
import { box, text, u32, video } from '../support/videos.ts';

/** Photos behind which a phone has put the film of the seconds around them. */

const film = video({ isIndexFirst: true, start: box('ftyp', text('mp42\0\0\0\0mp42')) });
const plain = await sharp({ create: { width: 1_200, height: 800, channels: 3, background: '#a63' } })
  .withExif({ IFD0: { Make: 'Secretcamera' } })
  .jpeg()
  .toBuffer();

/** What Google's camera writes into the picture: where its film begins, counted from the end. */
const google = (attributes: string) => {
  const xmp = Buffer.from(
    'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      `<rdf:Description xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" ${attributes}/></rdf:RDF></x:xmpmeta>`,
  );
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(xmp.length + 2, 2);
  return Buffer.concat([plain.subarray(0, 2), head, xmp, plain.subarray(2), film]);
};

/** Samsung's trailer names its parts, and ends with where their list begins. */
const samsung = () => {
  const name = text('MotionPhoto_Data');
  const mark = Buffer.from([0, 0, 0x30, 0x0a, name.length, 0, 0, 0]);
  const part = Buffer.concat([mark, name, film]);
  const little = (value: number) => u32(value).reverse();
  const list = Buffer.concat([
    text('SEFH'),
    ...[106, 1].map(little),
    mark,
    ...[part.length, part.length].map(little),
  ]);
  return Buffer.concat([plain, part, list, little(list.length), text('SEFT')]);
};

describeSqlite(({ siteWithAdmin }) => {
  it('a motion photo keeps its picture, and its film is cut off with the place in it', async () => {
    const [s, admin] = await siteWithAdmin();
    const heic = await readFile(join(import.meta.dirname, '../fixtures/heic/photo.heic'));
    const photos = {
      'first.jpg': google(`GCamera:MicroVideo="1" GCamera:MicroVideoOffset="${film.length}"`),
      'second.MP.jpg': google('GCamera:MotionPhoto="1" GCamera:MotionPhotoPresentationTimestampUs="800"'),
      'samsung.jpg': samsung(),
      'pixel.heic': Buffer.concat([heic, box('mpvd', film)]),
    };
    for (const [name, bytes] of Object.entries(photos)) {
      const type = name.endsWith('heic') ? 'image/heic' : 'image/jpeg';
      const { url, contentType } = await upload(s, admin, name, bytes, type);
      while (await makeNextVariants(s.deps));
      const bytesAt = async (address: string) =>
        Buffer.from(await (await s.request(address, admin)).arrayBuffer());
      const whole = await bytesAt(url);
      const found = ['ftyp', 'mdat', 'PICTURES', '16.3738', 'Secretcamera', 'GCamera', 'SEFT', 'MotionPhoto'];
      const leftIn = (stored: Buffer) => found.filter(word => stored.includes(word));
      expect([name, contentType, leftIn(whole)]).toEqual([name, 'image/jpeg', []]);
      expect([name, leftIn(await bytesAt(`${url}?width=480`))]).toEqual([name, []]);
      const { width } = await sharp(whole).metadata();
      if (type === 'image/jpeg') expect([name, width]).toEqual([name, 1_200]);
      const pixels = (picture: Buffer) => sharp(picture).raw().toBuffer();
      if (type === 'image/jpeg') expect((await pixels(whole)).equals(await pixels(plain))).toBe(true);
      // It ends with its picture.
      expect([name, whole.subarray(-2).toString('hex')]).toEqual([name, 'ffd9']);
    }
  });
});
