import { describe, expect, test } from 'vitest';
import { box, film, media, text, u32 } from '../../../test/support/films.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { filmSize } from './film-size.ts';

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
  await folder.write({ film: bytes });
  return await filmSize(folder.at('film'), type);
}

describe('the size of a film', () => {
  const sound = track('soun', 0, upright, [9, 9]);

  test.each([0, 1] as const)('is that of its first track of pictures, in version %d', async version => {
    const index = box('moov', sound, track('vide', version, upright, [640, 360]));
    expect(await sizeOf(Buffer.concat([start, index]))).toEqual({ width: 640, height: 360 });
    expect(await sizeOf(Buffer.concat([start, box('mdat', text('data')), index]), 'video/quicktime')).toEqual(
      {
        width: 640,
        height: 360,
      },
    );
  });

  test('is turned with a film that a phone has taken upright', async () => {
    const index = box('moov', track('vide', 0, turned, [640, 360]));
    expect(await sizeOf(Buffer.concat([start, index]))).toEqual({ width: 360, height: 640 });
  });

  test('is not known of sound, of a film that does not say it, and of another type', async () => {
    const index = box('moov', track('vide', 0, upright, [640, 360]));
    expect(await sizeOf(Buffer.concat([start, box('moov', sound)]))).toBeUndefined();
    expect(await sizeOf(film({ isIndexFirst: true }))).toBeUndefined();
    expect(await sizeOf(start)).toBeUndefined();
    expect(await sizeOf(Buffer.concat([start, index]), 'video/webm')).toBeUndefined();
  });
});
