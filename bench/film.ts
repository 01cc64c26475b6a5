import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { uploadInSteps } from './file-load.ts';
import { requestsPerSecond, requireProgram } from './load.ts';
import { countResized } from './phone-photos.ts';
import { BenchSite } from './servers.ts';

/**
 * `npm run bench:film [-- FILE]`: uploads a film of one minute in 4K, as a phone makes it, and measures until
 * it is prepared, and what visitors get meanwhile of what they get in quiet, asked every fifteen seconds.
 * Without a file it makes one, which takes minutes.
 */
requireProgram('wrk');
requireProgram('ffmpeg');
const [given] = process.argv.slice(2);
const film = given === undefined ? await makeFilm() : await readFile(given);

const site = await BenchSite.seeded(100, 3, 3950);
await site.start();
const token = await site.adminToken();
const quiet = await requestsPerSecond({ url: site.url });
const rest = site.memory();
const start = performance.now();
await uploadInSteps(site.url, token, 'posts/film of a minute.mov', film, 'video/quicktime');
const sent = (performance.now() - start) / 1_000;
const rates: number[] = [];
let most = 0;
while (countResized(site, 'film') === 0) {
  rates.push(await requestsPerSecond({ url: site.url }));
  for (let looks = 0; looks < 120 && countResized(site, 'film') === 0; looks += 1) {
    most = Math.max(most, site.memory());
    await sleep(100);
  }
}
const all = (performance.now() - start) / 1_000;
const meanwhile = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
process.stdout.write(
  `a film of ${(film.length / 1e6).toFixed(0)} MB: sent in ${sent.toFixed(1)} s, prepared after ${all.toFixed(0)} s, ` +
    `at most ${(most - rest).toFixed(0)} MB above rest, visitors at ${(meanwhile / quiet).toFixed(2)} of quiet ` +
    `(${rates.length} times)\n`,
);
await site.remove();

/** HEVC of ten bits, 27 megabits a second. */
async function makeFilm(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-film-'));
  const ffmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-v', 'error', ...args], { cwd: folder });
  const picture = 'testsrc2=size=3840x2160:rate=30,noise=alls=8:allf=t,format=yuv420p10le';
  ffmpeg(
    ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', 'sine=frequency=440', '-t', '6'],
    ...[
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-b:v',
      '27M',
      '-tag:v',
      'hvc1',
      '-c:a',
      'aac',
      'part.mov',
    ],
  );
  ffmpeg('-stream_loop', '9', '-i', 'part.mov', '-t', '60', '-c', 'copy', 'film.mov');
  const film = await readFile(join(folder, 'film.mov'));
  await rm(folder, { recursive: true });
  return film;
}
