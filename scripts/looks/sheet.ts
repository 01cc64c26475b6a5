import sharp from 'sharp';

/** One line of a sheet: pictures of one site, from left to right. */
export type Line = readonly Buffer[];

const height = 300;
const gap = 12;

/** Joins lines into one picture, two lines beside each other. As WebP. */
export async function contactSheet(lines: readonly Line[]): Promise<Buffer> {
  const small = await Promise.all(
    lines.map(line =>
      Promise.all(
        line.map(shot => sharp(shot).resize({ height }).png().toBuffer({ resolveWithObject: true })),
      ),
    ),
  );
  const lineWidth = Math.max(...small.map(line => line.reduce((sum, { info }) => sum + info.width + gap, 0)));
  const placed = small.flatMap((line, index) => {
    let left = gap + (index % 2) * (lineWidth + gap);
    const top = gap + Math.floor(index / 2) * (height + gap);
    return line.map(({ data, info }) => {
      const place = { input: data, left, top };
      left += info.width + gap;
      return place;
    });
  });
  const size = {
    width: 2 * (lineWidth + gap),
    height: gap + Math.ceil(lines.length / 2) * (height + gap),
  };
  return await sharp({ create: { ...size, channels: 3, background: '#8a8a8a' } })
    .composite(placed)
    .webp({ quality: 72, effort: 6 })
    .toBuffer();
}
