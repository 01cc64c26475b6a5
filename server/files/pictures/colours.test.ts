import sharp from 'sharp';
import { expect, test } from 'vitest';
import { inspectPicture, makeVariants } from './pictures.ts';

const colour = { r: 200, g: 90, b: 40 };
/** Large enough for two smaller sizes, with some grain so that these are also smaller in bytes. */
const noise = { type: 'gaussian', mean: 0, sigma: 12 } as const;
const picture = () =>
  sharp({ create: { width: 1_000, height: 750, channels: 3, background: 'black', noise } }).linear(
    [1, 1, 1],
    [colour.r, colour.g, colour.b],
  );

async function meanOf(bytes: Buffer | Uint8Array): Promise<number[]> {
  const { channels } = await sharp(
    await sharp(bytes).toColourspace('srgb').removeAlpha().png().toBuffer(),
  ).stats();
  return channels.map(({ mean }) => Math.round(mean));
}

test.each([
  ['sRGB', 'image/jpeg', () => picture().jpeg({ quality: 95 })],
  ['CMYK', 'image/jpeg', () => picture().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 })],
  ['Display P3', 'image/jpeg', () => picture().withIccProfile('p3').jpeg({ quality: 95 })],
  ['ten bits', 'image/avif', () => picture().avif({ bitdepth: 10, quality: 90, effort: 0 })],
])('the sizes and the placeholder of a picture have its colours: %s', async (_, type, make) => {
  const received = await make().toBuffer();
  const shown = await meanOf(received);
  const { bytes, placeholder, width, height } = await inspectPicture(type, received);
  const [smaller] = await makeVariants(bytes);
  const tiny = Buffer.from(placeholder?.split(',')[1] ?? '', 'base64');
  expect([width, height, smaller?.width]).toEqual([1_000, 750, 480]);
  for (const made of [await meanOf(smaller?.bytes ?? Buffer.alloc(0)), await meanOf(tiny)])
    for (const [channel, value] of made.entries())
      expect(Math.abs(value - (shown[channel] ?? 0))).toBeLessThanOrEqual(12);
});
