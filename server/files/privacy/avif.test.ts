import sharp from 'sharp';
import { expect, it } from 'vitest';
import { spoiled } from '../../../test/support/spoiled.ts';
import { box, text } from '../../../test/support/videos.ts';
import { stripAvif } from './avif.ts';
import { DamagedPicture } from './strip.ts';

const noise = sharp({
  create: {
    width: 90,
    height: 60,
    channels: 3,
    background: '#a63',
    noise: { type: 'gaussian', mean: 120, sigma: 40 },
  },
});
const photo = await noise
  .withExif({ IFD0: { Make: 'Secretcamera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 30/1' } })
  .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Secretplace</x:xmpmeta>')
  .avif({ effort: 0 })
  .toBuffer();
const pixels = async (bytes: Buffer) => await sharp(bytes).raw().toBuffer();

it.each([
  ['that its items name', photo],
  [
    'in boxes of other programs and behind it',
    Buffer.concat([
      photo,
      box('uuid', text('0123456789abcdefSecret')),
      box('free', text('Secret')),
      text('Secret'),
    ]),
  ],
  ['that names no picture', Buffer.from(photo.toString('latin1').replaceAll('cdsc', 'xxxx'), 'latin1')],
])('cleaning takes hidden data out of an AVIF without changing a pixel: %s', async (_, received) => {
  expect(received.includes('Secretcamera')).toBe(true);
  const { bytes, width, height } = stripAvif(received);
  const { exif, xmp } = await sharp(bytes).metadata();
  expect([bytes.includes('Secret'), bytes.includes('GPS'), exif, xmp]).toEqual([
    false,
    false,
    undefined,
    undefined,
  ]);
  expect([width, height]).toEqual([90, 60]);
  expect((await pixels(bytes)).equals(await pixels(photo))).toBe(true);
  expect(stripAvif(bytes).bytes.equals(bytes)).toBe(true);
});

/** The photo as a camera has it that is held otherwise: the property of its depth makes room for another. */
const turnedBy = (type: string, value: number) => {
  const at = photo.indexOf('pixi');
  const turned = Buffer.from(photo);
  turned.write(type, at, 'latin1');
  turned.writeUInt8(value, at + 4);
  return turned;
};

it.each([
  ['irot', 0, 90, 60],
  ['irot', 1, 60, 90],
  ['irot', 2, 90, 60],
  ['irot', 3, 60, 90],
  ['imir', 0, 90, 60],
  ['imir', 1, 90, 60],
] as const)('cleaning keeps how an AVIF is turned or mirrored: %s %i', async (type, value, width, height) => {
  const received = turnedBy(type, value);
  const stripped = stripAvif(received);
  expect([stripped.width, stripped.height]).toEqual([width, height]);
  expect(stripped.bytes.includes('Secret')).toBe(false);
  const { data, info } = await sharp(stripped.bytes).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([width, height]);
  expect(data.equals(await pixels(received))).toBe(true);
});

it('an AVIF without its tables is refused', () => {
  for (const at of [40, 200, 300]) expect(() => stripAvif(photo.subarray(0, at))).toThrow(/damaged|range/);
  expect(() => stripAvif(box('ftyp', text('avif')))).toThrow(DamagedPicture);
});

it('fuzz: a hostile AVIF ends at once, and grows by nothing', () => {
  for (const bytes of spoiled([photo], 1_000, 600)) {
    try {
      expect(stripAvif(bytes).bytes.length).toBeLessThanOrEqual(bytes.length);
    } catch (error) {
      expect(error instanceof DamagedPicture || error instanceof RangeError).toBe(true);
    }
  }
});
