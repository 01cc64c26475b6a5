import sharp from 'sharp';
import { expect, it } from 'vitest';
import { takenAt } from './taken.ts';

const photo = (bytes: Buffer, type: string) => new File([new Uint8Array(bytes)], 'photo', { type });

it('a photo tells when it was taken, in each format that browsers show', async () => {
  const taken = '2026-10-12T18:04:33';
  const plain = sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } }).withExif({
    IFD2: { DateTimeOriginal: '2026:10:12 18:04:33' },
  });
  for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
    const bytes = await plain.toFormat(format).toBuffer();
    expect([format, await takenAt(photo(bytes, `image/${format}`))]).toEqual([format, taken]);
  }
});

it.each([
  ['no date', '0000:00:00 00:00:00'],
  ['spaces', '    :  :     :  :  '],
])('a camera without a clock writes %s, which says nothing', async (_, written) => {
  const plain = sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } });
  const bytes = await plain
    .withExif({ IFD2: { DateTimeOriginal: written } })
    .jpeg()
    .toBuffer();
  expect(await takenAt(photo(bytes, 'image/jpeg'))).toBeUndefined();
});

it('what is no photo says nothing', async () => {
  expect(await takenAt(photo(Buffer.from('words'), 'image/jpeg'))).toBeUndefined();
  expect(await takenAt(photo(Buffer.from('words'), 'text/plain'))).toBeUndefined();
});
