import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { box, media, text, u32, video } from '../../../test/support/videos.ts';
import { videoSize } from './video-size.ts';

const folder = temporaryFolder();
const start = box('ftyp', text('isom\0\0\0\0isom'));
const upright = [65_536, 0, 0, 0, 65_536, 0, 0, 0, 1_073_741_824];
const turned = [0, 65_536, 0, -65_536, 0, 0, 0, 0, 1_073_741_824];

/** A track with a header of version 0 or 1, which differ in the length of their times. */
function track(handler: string, version: 0 | 1, matrix: number[], [width, height]: [number, number]): Buffer {
  const times = version === 1 ? [0, 0, 0, 0, 1, 0, 0, 0] : [0, 0, 1, 0, 0];
  const rest = [0, 0, 0, 0, ...matrix, width * 65_536, height * 65_536];
  return box('trak', box('tkhd', u32(version * 16_777_216 + 7, ...times, ...rest)), media(handler));
}

async function sizeOf(bytes: Buffer, type = 'video/mp4') {
  await folder.write({ video: bytes });
  return await videoSize(folder.at('video'), type);
}

const sound = track('soun', 0, upright, [9, 9]);

test.each([0, 1] as const)(
  'the size of an MP4 is that of its first video track, in version %d',
  async version => {
    const index = box('moov', sound, track('vide', version, upright, [640, 360]));
    expect(await sizeOf(Buffer.concat([start, index]))).toEqual({ width: 640, height: 360 });
    expect(await sizeOf(Buffer.concat([start, box('mdat', text('data')), index]), 'video/quicktime')).toEqual(
      {
        width: 640,
        height: 360,
      },
    );
  },
);

test('the size of a video that a phone has taken upright is turned', async () => {
  const index = box('moov', track('vide', 0, turned, [640, 360]));
  expect(await sizeOf(Buffer.concat([start, index]))).toEqual({ width: 360, height: 640 });
});

test('sound, a video that does not say its size, and other types have no size', async () => {
  const index = box('moov', track('vide', 0, upright, [640, 360]));
  expect(await sizeOf(Buffer.concat([start, box('moov', sound)]))).toBeUndefined();
  expect(await sizeOf(video({ isIndexFirst: true }))).toBeUndefined();
  expect(await sizeOf(start)).toBeUndefined();
  expect(await sizeOf(Buffer.concat([start, index]), 'video/webm')).toBeUndefined();
  expect(await sizeOf(Buffer.concat([start, index]), 'video/x-flv')).toBeUndefined();
});

/** An element of WebM with a length of eight bytes, or with none. */
const element = (id: string, body: Buffer | Buffer[], hasLength = true) => {
  const bytes = Array.isArray(body) ? Buffer.concat(body) : body;
  const length = Buffer.concat([Buffer.from([1, 0, 0, 0]), u32(bytes.length)]);
  return Buffer.concat([
    Buffer.from(id, 'hex'),
    hasLength ? length : Buffer.from('01ffffffffffffff', 'hex'),
    bytes,
  ]);
};
const number = (value: number) => Buffer.from([value >> 8, value & 255]);
const webm = (parts: Buffer[], hasLength = true) =>
  Buffer.concat([
    element('1a45dfa3', element('4282', text('webm'))),
    element(
      '18538067',
      [
        element('1549a966', element('2ad7b1', number(1_000))),
        element('1654ae6b', [
          element('ae', [element('83', Buffer.from([2])), element('e1', element('9f', number(2)))]),
          element('ae', [element('83', Buffer.from([1])), element('e0', parts)]),
        ]),
      ],
      hasLength,
    ),
  ]);

test.each([true, false])(
  'the size of a WebM is that of its first video track, with lengths of its elements: %s',
  async hasLength => {
    const pixels = [element('b0', number(640)), element('ba', number(360))];
    const size = async (...parts: Buffer[]) =>
      await sizeOf(webm([...pixels, ...parts], hasLength), 'video/webm');
    expect(await size()).toEqual({ width: 640, height: 360 });
    const shown = [element('54b0', number(480)), element('54ba', number(360))];
    expect(await size(...shown)).toEqual({ width: 480, height: 360 });
    // Pixels are unit 0, also where it is written.
    expect(await size(...shown, element('54b2', number(0)))).toEqual({ width: 480, height: 360 });
    // A ratio.
    expect(await size(...shown, element('54b2', number(3)))).toEqual({ width: 640, height: 360 });
    expect(await sizeOf(webm([], hasLength), 'video/webm')).toBeUndefined();
  },
);
