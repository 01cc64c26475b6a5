import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';

/**
 * Makes the pictures of the mark in web/brand from mark.svg, in the light theme's colours
 * (web/styles/tokens.css). Run by hand when the mark changes; the results are kept in the repository.
 */
const folder = 'web/brand';
const [paper, accent] = ['#f8f7f2', '#1c5741'];
const mark = (await readFile(`${folder}/mark.svg`, 'utf8')).replaceAll('currentColor', accent);

/** The mark in a square, over this share of its width. */
async function square(size: number, share: number, background: string): Promise<Buffer> {
  const inner = Math.round(size * share);
  const picture = await sharp(Buffer.from(mark), { density: (72 * inner) / 16 })
    .resize(inner)
    .toBuffer();
  return await sharp({ create: { width: size, height: size, channels: 4, background } })
    .composite([{ input: picture }])
    .png({ palette: true })
    .toBuffer();
}

/** An icon file of one PNG: six bytes of head, sixteen of directory, the picture. */
function ico(png: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(size, 6);
  head.writeUInt8(size, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

// Phones cut icons to a circle of four fifths, and the mark must fit into it.
await writeFile(`${folder}/icon-192.png`, await square(192, 0.5, paper));
await writeFile(`${folder}/icon-512.png`, await square(512, 0.5, paper));
await writeFile(`${folder}/apple-touch-icon.png`, await square(180, 0.56, paper));
await writeFile(`${folder}/favicon.ico`, ico(await square(32, 1, 'transparent'), 32));
