import { expect, it } from 'vitest';
import { box, text, u32 } from '../../../test/support/videos.ts';
import { typeOfFile } from './file-type.ts';

/** The detected type of a file with these parts, each at its place, and zeros between them. */
async function told(parts: readonly (readonly [at: number, bytes: Buffer])[], size: number) {
  return await typeOfFile({
    size,
    async read(at, length) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - at)));
      for (const [from, part] of parts) {
        for (let index = 0; index < part.length; index += 1) {
          const to = from + index - at;
          if (to >= 0 && to < bytes.length) bytes[to] = part[index] ?? 0;
        }
      }
      return bytes;
    },
  });
}

const unknown = 'application/octet-stream';
const large = 80 * 1024 * 1024;
const long = (type: string, bytes: number) => Buffer.concat([u32(1), text(type), u32(0, bytes)]);
const short = (type: string, bytes: number) => Buffer.concat([u32(bytes), text(type)]);

it.each([
  [
    'a large box in front',
    [
      [0, short('free', large)],
      [large, box('moov', text('x'))],
    ],
    'video/quicktime',
  ],
  [
    'a box with a long length',
    [
      [0, long('uuid', large)],
      [large, box('moov', text('x'))],
    ],
    'video/quicktime',
  ],
  [
    'an index of a fragment',
    [
      [0, short('prft', 32)],
      [32, box('moof')],
    ],
    'video/quicktime',
  ],
  [
    'an index that is cut short',
    [
      [0, short('uuid', large)],
      [large, short('moov', large)],
    ],
    'video/quicktime',
  ],
  ['a large index first', [[0, short('moov', large)]], 'video/quicktime'],
  [
    'no index',
    [
      [0, short('uuid', large)],
      [large, box('mdat')],
    ],
    unknown,
  ],
  [
    'a box to the end',
    [
      [0, short('uuid', 0)],
      [large, box('moov')],
    ],
    unknown,
  ],
  [
    'a length that is too short',
    [
      [0, short('uuid', 7)],
      [7, box('moov')],
    ],
    unknown,
  ],
  ['a text', [[0, text('The moov atom is the index of a video.')]], unknown],
  ['an empty file', [], unknown],
] as const)('the type of a file is where its boxes lead: %s', async (_, parts, type) => {
  expect(await told(parts, parts.length === 0 ? 0 : 2 * large)).toBe(type);
});

it('the search for an index stops after 1,000 boxes', async () => {
  const boxes = Buffer.alloc(8 * 1_001, box('junk'));
  expect(
    await told(
      [
        [0, boxes],
        [boxes.length, box('moov')],
      ],
      boxes.length + 8,
    ),
  ).toBe(unknown);
  expect(
    await told(
      [
        [0, boxes.subarray(16)],
        [boxes.length - 16, box('moov')],
      ],
      boxes.length,
    ),
  ).toBe('video/quicktime');
});
