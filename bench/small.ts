import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  ControlGroup,
  canMakeControlGroups,
  describeMachine,
  type SmallMachine,
} from '../test/support/control-group.ts';
import { bytesOf, median } from './load.ts';
import { countResized, makePhoto, sendPhotos } from './phone-photos.ts';
import { Random } from './seed/random.ts';
import { Texts } from './seed/texts.ts';
import { BenchSite, newestEssay } from './servers.ts';

/**
 * `npm run bench:small`: a family's site of twenty readers and 500 posts on small machines (bars.md), as
 * control groups of Linux bound them, which only root can make. For each machine: the start, what readers
 * wait for, ten photos, an import of 500 posts beside the server, an export, what an idle site writes, and
 * memory. `--idle-minutes 60` watches an idle site for an hour. It takes ten minutes.
 */
const { values: options } = parseArgs({ options: { 'idle-minutes': { type: 'string', default: '2' } } });
const idleMinutes = Number(options['idle-minutes']);
const machines: readonly SmallMachine[] = [
  { megabytes: 4_096, processor: 2 },
  { megabytes: 512, processor: 1, writeSpeed: 10 },
  { megabytes: 512, processor: 0.25 },
  { megabytes: 256, processor: 1 },
];
const readers = 20;
const photos = 10;
const posts = 500;

if (!canMakeControlGroups) throw new Error('Only root can make the control groups of small machines.');
const folder = await mkdtemp(join(tmpdir(), 'coterie-bench-small-'));
try {
  const photo = await makePhoto();
  const source = await makeSource();
  const rows: Record<string, Record<string, string>> = {};
  for (const machine of machines) {
    const name = describeMachine(machine);
    process.stdout.write(`${name}\n`);
    for (const [what, value] of Object.entries(await measure(machine, photo, source)))
      rows[what] = { ...rows[what], [name]: value };
  }
  process.stdout.write('\n');
  console.table(rows);
} finally {
  await rm(folder, { recursive: true });
}

/** All on a new site, because what an earlier machine wrote would be there already. */
async function measure(machine: SmallMachine, photo: Buffer, source: string) {
  const site = await BenchSite.seeded(posts, readers, 3960);
  await site.start();
  const token = await site.adminToken();
  await site.stop();
  const cookies = await site.memberCookies(readers);
  const group = await ControlGroup.make(machine);
  site.launcher = group.launcher;
  const row: Record<string, string> = {};
  const note = (what: string, value: string) => {
    row[what] = value;
    process.stdout.write(`  ${what}: ${value}\n`);
  };
  try {
    await site.start();
    await site.stop();
    note('start, ms', (await site.timedStart()).toFixed(0));
    note('at rest, MB', site.memory().toFixed(0));
    const addresses = [`${site.url}/`, await newestEssay(site.url)];
    const streams = await Promise.all(cookies.map(cookie => openStream(site, cookie)));
    const waits = await readersWait(addresses, cookies);
    note('page, median and longest ms', `${median(waits).toFixed(0)}, ${Math.max(...waits).toFixed(0)}`);

    const before = site.written();
    await sleep(idleMinutes * 60_000);
    note(`written in ${idleMinutes} idle minutes, kB`, (site.written() - before).toFixed(0));

    const begun = performance.now();
    await sendPhotos(site, token, photo, 'small', photos);
    const beside: number[] = [];
    while (countResized(site, 'small') < photos) {
      beside.push(...(await readersWait(addresses, cookies.slice(0, 1))));
      await sleep(100);
    }
    note(`${photos} photos, s`, secondsSince(begun));
    note('page beside photos, median ms', median(beside).toFixed(0));
    note('after photos, MB', site.memory().toFixed(0));

    const importing = performance.now();
    await site.cli('import', source);
    note(`import of ${posts} posts, s`, secondsSince(importing));
    const exporting = performance.now();
    await site.cli('export', join(site.dataDir, 'whole.zip'));
    note('export, s', secondsSince(exporting));
    note('most of all processes, MB', String(await group.peak()));

    for (const stream of streams) stream.destroy();
    return row;
  } finally {
    await site.remove();
    await group.remove();
  }
}

/** The milliseconds for which each reader waits for pages that all ask for at once, five times. */
async function readersWait(addresses: readonly string[], cookies: readonly string[]): Promise<number[]> {
  const waits: number[] = [];
  for (let round = 0; round < 5; round += 1)
    await Promise.all(
      cookies.map(async cookie => {
        for (const url of addresses) {
          const start = performance.now();
          await bytesOf({ url }, cookie);
          waits.push(performance.now() - start);
        }
      }),
    );
  return waits;
}

/** Each reader has a page open. */
async function openStream(site: BenchSite, cookie: string): Promise<IncomingMessage> {
  const postId = (await newestEssay(site.url)).split('/').at(-1);
  const [response] = await once(get(`${site.url}/live?post=${postId}`, { headers: { cookie } }), 'response');
  response.resume().on('error', () => {});
  return response;
}

/** Posts of some 350 words, as `npm run bench:import` imports them. */
async function makeSource(): Promise<string> {
  const texts = new Texts(new Random(1));
  const source = join(folder, 'posts');
  await mkdir(source);
  for (let id = 1; id <= posts; id += 1) {
    const words = texts.essay(`${id}`).content.split(' ').slice(0, 350).join(' ');
    await writeFile(join(source, `${id}.md`), `---\ntitle: ${texts.title()}\n---\n\n${words}\n`);
  }
  return source;
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1_000).toFixed(1);
}
