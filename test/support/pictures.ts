import { crc32 } from 'node:zlib';
import sharp from 'sharp';

/** A small PNG, and a copy of it that says it is 50,000 pixels wide and high. */
export async function hugePicture(): Promise<{ picture: Buffer; huge: Buffer }> {
  const picture = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#333' } })
    .png()
    .toBuffer();
  const huge = Buffer.from(picture);
  huge.writeUInt32BE(50_000, 16);
  huge.writeUInt32BE(50_000, 20);
  return { picture, huge };
}

/** A chunk of a PNG with its checksum. */
export function pngChunk(name: string, body: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name, 'latin1'), body, Buffer.alloc(4)]);
  chunk.writeUInt32BE(body.length, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}
