import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { requestsPerSecond, requireProgram } from './load.ts';
import { BenchSite } from './servers.ts';

/**
 * `npm run bench:photos`: uploads thirty photos of twelve megapixels, three at a time, and measures until
 * their sizes are made, what that takes, and what visitors get meanwhile of what they get in quiet. It takes
 * two minutes.
 */
const photos = 30;
const atOnce = 3;

requireProgram('wrk');
const photo = await makePhoto();
const site = await BenchSite.seeded(100, 3, 3940);
await site.start();
const token = await site.adminToken();
await site.stop();

await measure('alone');
await site.stop();
await measure('beside visitors', async () => await requestsPerSecond({ url: site.url }));
await site.remove();

async function measure(what: string, visit?: () => Promise<number>): Promise<void> {
  // A new process, because memory that was taken before would hide what this takes.
  await site.start();
  const quiet = await visit?.();
  const rest = site.memory();
  const cpu = site.cpuSeconds();
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1_000;
  let sent = 0;
  let first = 0;
  const sending = send(what).then(() => {
    sent = seconds();
  });
  const rates: number[] = [];
  const visiting = (async () => {
    while (visit !== undefined && (sent === 0 || resized(what) < photos)) rates.push(await visit());
  })();
  while (resized(what) < photos) {
    if (first === 0 && resized(what) > 0) first = seconds();
    await sleep(20);
  }
  const all = seconds();
  await Promise.all([sending, visiting]);
  const meanwhile = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  process.stdout.write(
    `${photos} photos ${what}: sent in ${sent.toFixed(1)} s, sizes of the first after ${first.toFixed(1)} s, of all after ` +
      `${all.toFixed(1)} s, ${(site.cpuSeconds() - cpu).toFixed(1)} s of a processor, ` +
      `at most ${(site.peakMemory() - rest).toFixed(0)} MB above rest (${rest.toFixed(0)})` +
      (quiet === undefined ? '\n' : `, visitors at ${(meanwhile / quiet).toFixed(2)} of quiet\n`),
  );
}

/** As the app does. */
async function send(what: string): Promise<void> {
  const waiting = Array.from({ length: photos }, (_, number) => number);
  const sendNext = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const boundary = 'photo-of-the-bench';
      const head = `--${boundary}\r\n\r\n{"contentType":"image/jpeg"}\r\n--${boundary}\r\n\r\n`;
      const answer = await fetch(
        `${site.url}/v0/b/-/o?name=${encodeURIComponent(`posts/${what} ${number}.jpg`)}`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'x-goog-upload-protocol': 'multipart',
            'content-type': `multipart/related; boundary=${boundary}`,
          },
          body: new Blob([head, new Uint8Array(photo), `\r\n--${boundary}--`]),
        },
      );
      if (!answer.ok) throw new Error(`A photo was answered ${answer.status} ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendNext));
}

/** How many of these photos have their sizes. */
function resized(what: string): number {
  const database = new DatabaseSync(join(site.dataDir, 'coterie.db'), { readOnly: true, timeout: 5_000 });
  try {
    const counted = database
      .prepare(`select count(*) as found from files where path like ? and variants is not null`)
      .get(`posts/${what} %`);
    return Number(counted?.found);
  } finally {
    database.close();
  }
}

/** Soft shapes with grain: about three megabytes, as of a phone. */
async function makePhoto(): Promise<Buffer> {
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
