import { setTimeout as sleep } from 'node:timers/promises';
import { requestsPerSecond, requireProgram } from './load.ts';
import { countResized, makePhoto, sendPhotos } from './phone-photos.ts';
import { BenchSite } from './servers.ts';

/**
 * `npm run bench:photos`: uploads thirty photos of twelve megapixels, three at a time, and measures until
 * their sizes are made, what that takes, and what visitors get meanwhile of what they get in quiet. It takes
 * two minutes.
 */
const photos = 30;

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
  let most = 0;
  let first = 0;
  const sending = sendPhotos(site, token, photo, what, photos).then(() => {
    sent = seconds();
  });
  const rates: number[] = [];
  const visiting = (async () => {
    while (visit !== undefined && (sent === 0 || countResized(site, what) < photos))
      rates.push(await visit());
  })();
  while (countResized(site, what) < photos) {
    if (first === 0 && countResized(site, what) > 0) first = seconds();
    most = Math.max(most, site.memory());
    await sleep(20);
  }
  const all = seconds();
  await Promise.all([sending, visiting]);
  const used = site.cpuSeconds() - cpu;
  await sleep(10_000);
  const meanwhile = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  process.stdout.write(
    `${photos} photos ${what}: sent in ${sent.toFixed(1)} s, sizes of the first after ${first.toFixed(1)} s, of all after ` +
      `${all.toFixed(1)} s, ${used.toFixed(1)} s of a processor, ` +
      `at most ${(most - rest).toFixed(0)} MB above rest (${rest.toFixed(0)}), ` +
      `${(site.memory() - rest).toFixed(0)} ten seconds later` +
      (quiet === undefined ? '\n' : `, visitors at ${(meanwhile / quiet).toFixed(2)} of quiet\n`),
  );
}
