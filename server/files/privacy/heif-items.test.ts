import sharp from 'sharp';
import { expect, it } from 'vitest';
import { gridOf } from '../../../test/support/heif.ts';
import { decodedPixels } from './heif-items.ts';
import { DamagedPicture } from './strip.ts';

const size = { width: 90, height: 60 };
const picture = (channels: 3 | 4) =>
  sharp({ create: { ...size, channels, background: { r: 120, g: 30, b: 9, alpha: 0.5 } } })
    .avif({ effort: 0 })
    .toBuffer();
const photo = await picture(3);

it('the pixels that decoding an AVIF takes are those of the picture and of its transparency', async () => {
  expect(decodedPixels(photo)).toBe(90 * 60);
  expect(decodedPixels(await picture(4))).toBe(2 * 90 * 60);
});

it('the pixels of a small picture that is put together of a large one are those of the large one', async () => {
  const grid = gridOf(photo, { width: 80, height: 50 }, size);
  const { width, height } = await sharp(grid).metadata();
  expect([width, height, (await sharp(grid).raw().toBuffer()).length]).toEqual([80, 50, 80 * 50 * 3]);
  expect(decodedPixels(grid)).toBe(90 * 60);
  expect(decodedPixels(gridOf(photo, size, { width: 16_000, height: 12_000 }))).toBe(16_000 * 12_000);
});

it('a picture that is a part of itself, an overlay and doubled tables have no end of pixels', () => {
  const grid = gridOf(photo, size, size);
  const ofItself = Buffer.from(grid);
  const reference = ofItself.indexOf('dimg', 0, 'latin1');
  ofItself.writeUInt16BE(1, reference + 8);
  const doubled = Buffer.from(grid);
  doubled.write('iref', doubled.indexOf('hdlr', 0, 'latin1'), 'latin1');
  for (const bytes of [ofItself, doubled, gridOf(photo, size, size, 'iovl')])
    expect(decodedPixels(bytes)).toBe(Number.POSITIVE_INFINITY);
});

it('a picture whose tables end too soon is damaged', () => {
  for (const at of [20, 40, 120, 200])
    expect(() => decodedPixels(photo.subarray(0, at))).toThrow(DamagedPicture);
});
