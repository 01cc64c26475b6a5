import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clearVideo } from './video.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coterie-test-'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const text = (value: string) => Buffer.from(value, 'latin1');
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4);
  });
  return bytes;
};
const box = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), text(type), body]);
};
const made = 3_900_000_000;
const place = '+48.2082+016.3738/';
const udta = box('udta', box('©xyz', u32(0x001215c7), text(place)), box('©mak', text('Secretcamera')));
const track = (handler: string, chunkAt: number, sizes: number[], ...more: Buffer[]) =>
  box(
    'trak',
    box('tkhd', u32(7, made, made, 1)),
    box(
      'mdia',
      box('mdhd', u32(0, made, made, 600)),
      box('hdlr', u32(0, 0), text(handler), u32(0, 0, 0)),
      box(
        'minf',
        box(
          'stbl',
          box('stsz', u32(0, 0, sizes.length, ...sizes)),
          box('stsc', u32(0, 1, 1, sizes.length, 1)),
          box('stco', u32(0, 1, chunkAt)),
        ),
      ),
    ),
    ...more,
  );

/** A film of one picture track and one that notes where the camera was, its bytes before its index or after. */
function film(isIndexFirst: boolean): Buffer {
  const head = box('ftyp', text('qt  \0\0\0\0qt  '));
  const media = box('mdat', text('PICTURES'), text('at 48.2082'), text('at 16.3738'), text('PICTURES'));
  const xmp = box('uuid', text('0123456789abcdef<x:xmpmeta>Secretcamera'));
  const indexAt = (mediaAt: number) =>
    box(
      'moov',
      box('mvhd', u32(0, made, made, 600)),
      track('vide', mediaAt + 8, [8], udta, box('meta', text('Secretcamera'))),
      track('meta', mediaAt + 16, [10, 10]),
      box('meta', text(`com.apple.quicktime.location.ISO6709 ${place}`)),
      udta,
    );
  const { length } = indexAt(0);
  return isIndexFirst
    ? Buffer.concat([head, indexAt(head.length + length), media, xmp])
    : Buffer.concat([head, media, indexAt(head.length), xmp]);
}

async function cleared(bytes: Buffer): Promise<{ isChanged: boolean; stored: Buffer }> {
  const path = join(folder, 'film');
  await writeFile(path, bytes);
  return { isChanged: await clearVideo(path), stored: await readFile(path) };
}

it.each([true, false])(
  'takes place, time and device out of a film, its index first: %s',
  async isIndexFirst => {
    const received = film(isIndexFirst);
    const { isChanged, stored } = await cleared(received);
    expect([isChanged, stored.length]).toEqual([true, received.length]);
    for (const secret of ['Secretcamera', '48.2082', '16.3738', 'xyz', 'xmpmeta', 'location']) {
      expect([secret, received.includes(secret), stored.includes(secret)]).toEqual([secret, true, false]);
    }
    expect(stored.includes(u32(made))).toBe(false);
    // What plays is where it was.
    const at = received.indexOf('PICTURES');
    expect([stored.indexOf('PICTURES'), stored.lastIndexOf('PICTURES')]).toEqual([at, at + 28]);
    expect(stored.indexOf('vide')).toBe(received.indexOf('vide'));
    expect(await cleared(stored)).toEqual({ isChanged: false, stored });
  },
);

const unsearchable = /film or recording has too many parts/;

it('ends at once, and changes no length, whatever a film says of itself', async () => {
  const whole = film(true);
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  for (let round = 0; round < 60; round += 1) {
    const bytes = Buffer.from(whole.subarray(0, round % 3 === 0 ? random(whole.length) : whole.length));
    for (let hit = 0; hit < 4 && bytes.length > 4; hit += 1) {
      bytes.writeUInt32BE([0, 1, 7, 0xffffffff, random(2 ** 32)][random(5)] ?? 0, random(bytes.length - 4));
    }
    // It may say that it holds more than any film does.
    const result = await cleared(bytes).catch((error: Error) => error);
    if (result instanceof Error) expect(result.message).toMatch(unsearchable);
    else expect(result.stored.length).toBe(bytes.length);
  }
});

it('a film with more boxes than any film has is refused: the rest of it would keep what it hides', async () => {
  const more = box('uuid', text('0123456789abcdefSecretcamera'));
  const of = (boxes: number) =>
    Buffer.concat([
      box('moov', box('trak', Buffer.alloc(8 * boxes, box('skip')), box('udta', text('Secretcamera')))),
      more,
    ]);
  const few = await cleared(of(1_000));
  expect([few.isChanged, few.stored.includes('Secretcamera')]).toEqual([true, false]);
  await expect(cleared(of(120_000))).rejects.toThrow(unsearchable);
});

it('a film with more measurements than any film has, or a longer index, is refused', async () => {
  const measured = film(true);
  // The table of the track that notes where the camera was: each note has one byte, and there are so many.
  u32(1, 1_000_001).copy(measured, measured.lastIndexOf('stsz') + 8);
  await expect(cleared(measured)).rejects.toThrow(unsearchable);
  const head = box('ftyp', text('qt  \0\0\0\0qt  '));
  const long = Buffer.concat([head, box('moov', box('skip', Buffer.alloc(64 * 1024 * 1024)), udta)]);
  await expect(cleared(long)).rejects.toThrow(unsearchable);
});
