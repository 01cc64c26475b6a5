import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { refused, spoiled } from '../../../test/support/spoiled.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { box, media, place, text, track, u32, video } from '../../../test/support/videos.ts';
import { clearMp4 } from './mp4.ts';

const folder = temporaryFolder();

async function cleared(bytes: Buffer): Promise<{ isChanged: boolean; stored: Buffer }> {
  const path = folder.at('video');
  await folder.write({ video: bytes });
  return { isChanged: await clearMp4(path), stored: await readFile(path) };
}

const secrets = ['Secret', '48.2082', '16.3738', 'xyz', 'xmpmeta', 'ISO6709', 'GPS('];
const head = (brand: string) => box('ftyp', text(`${brand}\0\0\0\0${brand}`));

/**
 * Cleans a video and checks the result: same length, nothing secret, the pictures in place, and nothing left
 * to clean.
 */
async function expectClean(received: Buffer): Promise<Buffer> {
  const { isChanged, stored } = await cleared(received);
  expect([isChanged, stored.length]).toEqual([true, received.length]);
  for (const secret of secrets) expect([secret, stored.includes(secret)]).toEqual([secret, false]);
  expect(stored.includes(u32(3_900_000_000))).toBe(false);
  for (let at = received.indexOf('PICTURES'); at !== -1; at = received.indexOf('PICTURES', at + 1)) {
    expect(stored.toString('latin1', at, at + 8)).toBe('PICTURES');
  }
  expect(stored.indexOf('vide')).toBe(received.indexOf('vide'));
  expect(await cleared(stored)).toEqual({ isChanged: false, stored });
  return stored;
}

it.each([
  ['its index first', video({ isIndexFirst: true })],
  ['its index last', video({ isIndexFirst: false })],
  ['of a brand that nobody knows', video({ isIndexFirst: true, start: head('XAVC') })],
  ['of QuickTime, without a brand', video({ isIndexFirst: false, start: box('wide') })],
  [
    'with a preview and its date first',
    video({ isIndexFirst: false, start: box('pnot', text('Secret at 48.2082')) }),
  ],
  [
    'with boxes and bytes behind it',
    Buffer.concat([
      video({ isIndexFirst: true }),
      box('gps ', text(place)),
      box('free', text(place)),
      text('Secret'),
    ]),
  ],
  ['with sizes in the compact table', video({ isIndexFirst: true, isCompact: true })],
])('cleaning keeps of a video what plays: %s', async (_, received) => {
  for (const secret of secrets) expect([secret, received.includes(secret)]).toEqual([secret, true]);
  await expectClean(received);
});

/** A fragmented video: pictures and the camera's measurements, interleaved. */
function fragments(isExplicit: boolean): Buffer {
  const index = box(
    'moov',
    box('mvhd', u32(0, 3_900_000_000, 3_900_000_000, 600)),
    track({ handler: 'vide', id: 1, chunks: [], sizes: [] }),
    track({ handler: 'meta', id: 2, chunks: [], sizes: [] }),
    box('mvex', box('trex', u32(0, 1, 1, 0, 8, 0)), box('trex', u32(0, 2, 1, 0, 10, 0))),
  );
  const fragment = (dataAt: number) =>
    box(
      'moof',
      box('mfhd', u32(0, 1)),
      box('traf', box('tfhd', u32(0x20000, 2)), box('trun', u32(1, 2, dataAt + 8))),
      box('uuid', text('0123456789abcdefSecret')),
      box(
        'traf',
        box('tfhd', u32(isExplicit ? 0x20000 : 0, 1)),
        box('trun', u32(isExplicit ? 1 : 0, 2, dataAt + 28)),
      ),
    );
  const data = box('mdat', text('at 48.2082at 16.3738PICTURESPICTURES'));
  const each = Buffer.concat([fragment(fragment(0).length), data]);
  return Buffer.concat([head('iso5'), index, each, each, box('emsg', text(place))]);
}

it('cleaning keeps of a video of fragments what plays', async () => {
  const stored = await expectClean(fragments(true));
  expect(stored.toString('latin1').split('PICTURESPICTURES').length).toBe(3);
  // The second track's data follow those of the removed one, and nothing else says where they are.
  await expect(cleared(fragments(false))).rejects.toThrow(/cannot be removed from this kind of video/);
});

it('cleaning keeps the sound of QuickTime, which says that each sample has one byte', async () => {
  const sound = Buffer.from(text('SOUNDSOUNDSOUNDS'));
  const entry = box(
    'sowt',
    u32(0, 1, 0x00010000),
    text('Secr'),
    Buffer.from([0, 2, 0, 16, 0, 0, 0, 0]),
    u32(44_100 << 16, 1, 2, 4, 2),
  );
  const of = (at: number) =>
    box(
      'moov',
      track({ handler: 'soun', id: 1, chunks: [at], sizes: 4, fixed: 1, entry }),
      track({ handler: 'text', id: 2, chunks: [at + 16], sizes: [9] }),
    );
  const { length } = of(0);
  const stored = (await cleared(Buffer.concat([of(length + 8), box('mdat', sound, text('Secrettxt'))])))
    .stored;
  expect([stored.includes(sound), stored.includes('Secr')]).toEqual([true, false]);
});

it.each([
  [
    'a codec whose frames describe themselves',
    box('moov', track({ handler: 'vide', id: 1, chunks: [8], sizes: [1], codec: 'jpeg' })),
    /cannot be removed/,
  ],
  ['an index that is compressed', box('moov', box('cmov', text('x'))), /cannot be removed/],
  ['a track without its tables', box('moov', box('trak', media('vide'))), /incomplete or damaged/],
  [
    'pictures that are not in the data',
    Buffer.concat([box('mdat'), box('moov', track({ handler: 'vide', id: 1, chunks: [20], sizes: [9] }))]),
    /incomplete or damaged/,
  ],
  ['no index', box('mdat', text('PICTURES')), /incomplete or damaged/],
])('cleaning refuses a video with a sentence that says what to do: %s', async (_, bytes, sentence) => {
  await expect(cleared(Buffer.concat([head('isom'), bytes]))).rejects.toThrow(sentence);
});

it('fuzz: a hostile video ends at once, and keeps its length', async () => {
  const wholes = [
    video({ isIndexFirst: true }),
    video({ isIndexFirst: true, isCompact: true }),
    fragments(true),
  ];
  for (const bytes of spoiled(wholes, 240)) {
    const result = await cleared(bytes).catch((error: Error) => error);
    if (result instanceof Error) expect(result.message).toMatch(refused);
    else expect(result.stored.length).toBe(bytes.length);
  }
});

it('a video with more boxes than any video has is refused: the rest of it would keep what it hides', async () => {
  const more = box('uuid', text('0123456789abcdefSecretcamera'));
  const of = (boxes: number) =>
    Buffer.concat([
      box('moov', box('udta', text('Secretcamera')), Buffer.alloc(8 * boxes, box('skip'))),
      more,
    ]);
  const few = await cleared(of(1_000));
  expect([few.isChanged, few.stored.includes('Secretcamera')]).toEqual([true, false]);
  await expect(cleared(of(420_000))).rejects.toThrow(/too many parts/);
});

it('a video has a chunk for each picture of an hour; one with more chunks than any video has is refused', async () => {
  const of = (count: number) => {
    const chunks = (from: number) => Array.from({ length: count }, (_, index) => from + index);
    const index = (from: number) =>
      box('moov', track({ handler: 'vide', id: 1, chunks: chunks(from), sizes: count, fixed: 1 }));
    const at = index(0).length + 8;
    return Buffer.concat([index(at), box('mdat', Buffer.alloc(count, 'P'))]);
  };
  const { stored } = await cleared(of(400_000));
  expect(stored.subarray(-400_000).equals(Buffer.alloc(400_000, 'P'))).toBe(true);
  await expect(cleared(of(500_001))).rejects.toThrow(/too many parts/);
});

it('a video with more samples than any video has, or a longer index, is refused', async () => {
  const samples = box(
    'moov',
    track({ handler: 'vide', id: 1, chunks: [8], sizes: 2_000_001, bytes: Buffer.alloc(4 * 2_000_001) }),
  );
  await expect(cleared(samples)).rejects.toThrow(/too many parts/);
  const long = box('moov', box('skip', Buffer.alloc(64 * 1024 * 1024)));
  await expect(cleared(long)).rejects.toThrow(/too many parts/);
});
