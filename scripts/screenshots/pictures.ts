import sharp from 'sharp';

/** A drawn landscape of ridges under an evening sky, different for each number and free of rights. */
export async function landscape(place: number, width: number, height: number): Promise<Buffer> {
  const ridges = [0, 1, 2, 3, 4].map(depth => {
    const base = 46 + depth * 12;
    const points = Array.from({ length: 21 }, (_, step) => {
      const x = step * 5;
      const wave =
        Math.sin(x / (7 + depth * 2) + place * 3 + depth) * 4 + Math.sin(x / 3 + place + depth * 2);
      return `${x},${base + wave * (1 - depth / 8)}`;
    });
    const shade = 70 - depth * 13;
    return `<polygon fill="hsl(${168 - place * 9} ${12 + depth * 5}% ${shade}%)" points="0,100 ${points.join(' ')} 100,100"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="none">
    <defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${205 + place * 7} 34% 72%)"/><stop offset=".6" stop-color="hsl(34 52% 86%)"/></linearGradient></defs>
    <rect width="100" height="100" fill="url(#sky)"/>${ridges.join('')}</svg>`;
  return await sharp(Buffer.from(svg)).jpeg({ quality: 82 }).toBuffer();
}

/** One second of a tone, as WAV. */
export function tone(): Buffer {
  const rate = 8_000;
  const samples = Buffer.alloc(rate);
  for (let i = 0; i < rate; i += 1)
    samples[i] = 128 + Math.round(60 * Math.sin((i / rate) * 2 * Math.PI * 220));
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + rate, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(rate, 40);
  return Buffer.concat([head, samples]);
}
