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
