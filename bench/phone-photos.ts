import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import sharp from 'sharp';
import { bucketPath, multipart } from '../test/support/multipart.ts';
import type { BenchSite } from './servers.ts';

const atOnce = 3;

/** Uploads `count` photos as the app does, three at a time, with names that begin with `name`. */
export async function sendPhotos(
  site: BenchSite,
  token: string,
  photo: Buffer,
  name: string,
  count: number,
): Promise<void> {
  const waiting = Array.from({ length: count }, (_, number) => number);
  const sendNext = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const { headers, body } = multipart(photo, {}, 'image/jpeg');
      const answer = await fetch(`${site.url}${bucketPath(`${name} ${number}.jpg`)}`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${token}` },
        body,
      });
      if (!answer.ok) throw new Error(`A photo was answered ${answer.status} ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendNext));
}

/** How many photos whose names begin with `name` have their sizes. */
export function countResized(site: BenchSite, name: string): number {
  const database = new DatabaseSync(join(site.dataDir, 'coterie.db'), { readOnly: true, timeout: 5_000 });
  try {
    const counted = database
      .prepare(`select count(*) as found from files where path like ? and variants is not null`)
      .get(`posts/${name} %`);
    return Number(counted?.found);
  } finally {
    database.close();
  }
}

/** Soft shapes with grain: about three megabytes, as of a phone. */
export async function makePhoto(): Promise<Buffer> {
  const noise = (width: number, height: number, sigma: number) =>
    sharp({
      create: {
        width,
        height,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma },
      },
    });
  const grain = await noise(4_032, 3_024, 11).png({ compressionLevel: 1 }).toBuffer();
  return await sharp(await noise(200, 150, 60).png().toBuffer())
    .resize(4_032, 3_024)
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 85 })
    .toBuffer();
}
