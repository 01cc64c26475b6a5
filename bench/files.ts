import { link, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { runNginx } from '../test/support/nginx.ts';
import { download, uploadInSteps } from './file-load.ts';
import { bytesPerSecond, median, requireProgram } from './load.ts';
import { BenchSite } from './servers.ts';

/**
 * `npm run bench:files`: measures the memory that ten uploads and ten downloads of 256 MiB at once take, and
 * how fast a file is served, compared with nginx and the same file on the same disk. It ends within minutes.
 */
const mebibyte = 1024 * 1024;
const size = Number(process.argv[2] ?? 256) * mebibyte;
const together = 10;
const rounds = 3;

requireProgram('wrk');
const site = await BenchSite.seeded(10, 3, 3930);
await site.start();
const token = await site.adminToken();
const headers = { authorization: `Bearer ${token}` };

const urls = await measured('uploads', () =>
  Promise.all(
    Array.from({ length: together }, (_, i) => uploadInSteps(site.url, token, `posts/bench/${i}`, size)),
  ),
);
await measured('downloads', () => Promise.all(urls.map(url => download(`${site.url}${url}`, headers))));

const path = urls[0] ?? '';
const served = await mkdtemp(join(site.dataDir, 'served-'));
await link(join(site.dataDir, 'files', path.split('/')[2] ?? ''), join(served, 'file'));
requireProgram('nginx', 'nginx-light');
const nginx = await runNginx(
  'sendfile on; tcp_nopush on; default_type application/octet-stream;',
  `root ${served};`,
);
const middle = Math.floor(size / 2);
const parts: Record<string, string | undefined> = {
  'the whole file': undefined,
  'ranges of 1 MiB': `bytes=${middle}-${middle + mebibyte - 1}`,
  'ranges of 64 KiB': `bytes=${middle}-${middle + 65_535}`,
};
for (const [what, range] of Object.entries(parts)) {
  const asked = range === undefined ? {} : { range };
  const ratios: number[] = [];
  let rate = 0;
  for (let round = 0; round < rounds; round += 1) {
    const theirs = await bytesPerSecond({ url: `${nginx.url}/file`, headers: asked });
    rate = await bytesPerSecond({ url: `${site.url}${path}`, headers: { ...headers, ...asked } });
    ratios.push(rate / theirs);
  }
  process.stdout.write(
    `${what}: ${median(ratios).toFixed(3)} of nginx (${(rate / mebibyte).toFixed(0)} MiB/s)\n`,
  );
}
process.stdout.write(
  `memory at the end: ${site.memory().toFixed(0)} MB, at most ${site.peakMemory().toFixed(0)} MB\n`,
);
await nginx.stop();
await site.remove();

async function measured<T>(what: string, run: () => Promise<T>): Promise<T> {
  // A new process, because memory that was taken before would hide what this takes.
  await site.stop();
  await site.start();
  const rest = site.memory();
  const start = performance.now();
  const result = await run();
  const seconds = (performance.now() - start) / 1_000;
  const above = site.peakMemory() - rest;
  process.stdout.write(
    `${together} ${what} of ${size / mebibyte} MiB at once: ${seconds.toFixed(1)} s, ` +
      `${((together * size) / mebibyte / seconds).toFixed(0)} MiB/s, at most ${above.toFixed(0)} MB above rest, ` +
      `${(above / together).toFixed(1)} MB each\n`,
  );
  return result;
}
