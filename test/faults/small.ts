import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { openDatabase } from '../../server/db/connect.ts';
import type { RunningSite } from '../e2e/site.ts';
import { ControlGroup, canMakeControlGroups, describeMachine } from '../support/control-group.ts';
import { multipart } from '../support/multipart.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

/** Machines that people have lying about. */
const machines = [
  { megabytes: 512, processor: 1 },
  { megabytes: 512, processor: 0.25 },
  { megabytes: 256, processor: 1 },
];
const posts = 500;
const photos = 10;

/**
 * The site on a small machine: it starts, answers, makes the sizes of ten photos, survives an import of 500
 * posts beside it, and ends by itself. Its memory and processor are bounded by a control group, which only
 * root can make.
 */
export async function smallMachine(place: Place) {
  if (!canMakeControlGroups) return 'needs root and control groups';
  const report: Record<string, unknown> = {};
  const location = { ...place.location, dataDir: join(place.dataDir, 'data') };
  const site = await place.site({}, location.dataDir);
  await mkdir(site.dataDir);
  await site.start();
  await site.createAdmin();
  await site.stop();
  const photo = await makePhoto();
  for (const machine of machines) {
    const name = describeMachine(machine);
    const source = join(place.dataDir, name);
    await writeSource(source, name);
    const group = await ControlGroup.make(machine);
    site.launcher = group.launcher;
    try {
      const begun = performance.now();
      await site.start();
      await answers(site);
      const startMs = Math.round(performance.now() - begun);
      const atRest = await group.resident();
      await sendPhotos(site, photo);
      await untilResized(location);
      const afterPhotos = await group.resident();
      const imported = await site.cli('import', source, '--author', 'mina');
      assert.match(imported, new RegExp(`Posts: ${posts} created`));
      await answers(site);
      assert.match(await site.cli('doctor'), /No problems found/);
      report[name] = { startMs, atRest, afterPhotos, peak: await group.peak() };
    } finally {
      await site.stop();
      site.launcher = [];
      await group.remove();
    }
  }
  return report;
}

async function answers(site: RunningSite): Promise<void> {
  const { status } = await fetch(site.url);
  assert.equal(status, 200);
}

/** Posts of three kilobytes, which no other machine has imported. */
async function writeSource(folder: string, name: string): Promise<void> {
  await mkdir(folder);
  for (let number = 1; number <= posts; number += 1) {
    const text = `A line of post ${number} on ${name}, which is as long as others. `.repeat(45);
    await writeFile(join(folder, `${name} ${number}.md`), `---\ntitle: Post ${number}\n---\n\n${text}\n`);
  }
}

/** Twelve megapixels with some grain, as a phone makes them. */
async function makePhoto(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  return await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: 'black', noise } })
    .jpeg({ quality: 60 })
    .toBuffer();
}

async function sendPhotos(site: RunningSite, bytes: Buffer): Promise<void> {
  const client = new Client(site.url);
  await client.signIn('mina@example.com');
  const { headers, body } = multipart(bytes, {}, 'image/jpeg');
  for (let number = 1; number <= photos; number += 1) {
    const answer = await fetch(`${site.url}/v0/b/-/o?name=posts/${Date.now()}.jpg`, {
      method: 'POST',
      headers: { ...client.credentials, ...headers },
      body,
    });
    assert.equal(answer.status, 200, await answer.text());
  }
}

async function untilResized(location: Place['location']): Promise<void> {
  const { db, close } = await openDatabase(location);
  try {
    const waiting = db.selectFrom('files').select('id').where('variants', 'is', null);
    while ((await waiting.executeTakeFirst()) !== undefined) await sleep(500);
  } finally {
    await close();
  }
}
