import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedPassword } from '../../bench/seed/members.ts';
import { examine } from '../../server/cli/examine.ts';
import { type Database, openDatabase } from '../../server/db/connect.ts';
import { anyFolder, folderStore } from '../../server/files/store/folder-store.ts';
import type { RunningSite } from '../e2e/site.ts';
import { Random } from '../prove/random.ts';
import { Client } from './client.ts';
import { Comments, Decisions, type Kind, Likes, Posts, type Scene } from './kinds.ts';
import type { Place } from './place.ts';

export type Report = {
  rounds: number;
  /** How often the database server was the one that was killed. */
  databaseKills: number;
  /** Acknowledged writes, by kind. */
  writes: Record<string, number>;
  slowestStartMs: number;
};

/** The bar for starting again (bars.md). */
const startWithinMs = 5_000;
const writersOfEach = 2;

/**
 * Kills the server with -9 while it writes, or on PostgreSQL sometimes the database under it, starts it
 * again, and looks whether everything that was acknowledged is there and everything that must hold holds.
 * Throws at the first round that lost something. Case 64.
 */
export async function runRounds(
  place: Place,
  { rounds, seed, more = [] }: { rounds: number; seed: number; more?: readonly Kind[] },
): Promise<Report> {
  const site = await place.site();
  await site.start();
  await site.createAdmin();
  await site.seed('--posts', '0', '--members', '40', '--tags', '7', '--comments', '0', '--likes', '0');
  const database = await openDatabase(place.location);
  try {
    const scene = await setScene(site, randomFrom(seed));
    const pending = await database.db
      .selectFrom('users')
      .select('id')
      .where('status', '=', 'pending')
      .execute();
    const posts = new Posts();
    const decisions = new Decisions(pending.map(row => row.id));
    const kinds = [posts, new Likes(posts), new Comments(posts), decisions, ...more];
    const report: Report = {
      rounds: 0,
      databaseKills: 0,
      writes: Object.fromEntries(kinds.map(kind => [kind.name, 0])),
      slowestStartMs: 0,
    };
    for (; report.rounds < rounds; report.rounds += 1) {
      try {
        await runRound(place, site, scene, kinds, report);
        for (const kind of kinds) await kind.check(scene);
        assert.deepEqual(await findings(place), []);
      } catch (error) {
        throw new Error(`Round ${report.rounds} of ${place.engine} with --seed ${seed}`, { cause: error });
      }
    }
    assert.match(await site.cli('doctor'), /No problems found/);
    await checkMailFolder(database, place);
    assert.doesNotMatch(site.output, /unexpected error/);
    return report;
  } finally {
    await database.close();
  }
}

async function setScene(site: RunningSite, random: () => number): Promise<Scene> {
  const admin = new Client(site.url);
  await admin.signIn('mina@example.com');
  const members = [1, 2, 3, 4, 5, 6].map(() => new Client(site.url));
  for (const [index, member] of members.entries()) {
    await member.signIn(`member${index + 1}@example.com`, seedPassword);
  }
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  return { admin, members, random, next };
}

async function runRound(
  place: Place,
  site: RunningSite,
  scene: Scene,
  kinds: readonly Kind[],
  report: Report,
): Promise<void> {
  let isRunning = true;
  let steps = 0;
  const writers = kinds.flatMap(kind =>
    // Decisions say what holds in the end, so only one at a time can know it.
    Array.from({ length: kind instanceof Decisions ? 1 : writersOfEach }, async () => {
      while (isRunning) {
        await kind.write(scene);
        if (!isRunning) return;
        steps += 1;
        report.writes[kind.name] = (report.writes[kind.name] ?? 0) + 1;
        // Refusals, too, come back at once: the others must have their turn.
        await sleep(1);
      }
    }),
  );
  // However slow the machine is, something must be under way; then at any moment.
  const start = performance.now();
  while (steps < 2 * kinds.length && performance.now() - start < 10_000) await sleep(5);
  // The mail worker looks at its queue a second after the start: every fourth round lives to see it.
  await sleep(scene.random() * (scene.random() < 0.25 ? 3_000 : 200));
  const isDatabase = place.postgres !== undefined && scene.random() < 0.3;
  if (isDatabase) await place.postgres?.kill();
  else await site.stop('SIGKILL');
  isRunning = false;
  await Promise.all(writers);
  if (isDatabase) {
    report.databaseKills += 1;
    await place.postgres?.restart();
  }
  const stopped = performance.now();
  if (!isDatabase) await site.start();
  await untilReady(site);
  const tookMs = performance.now() - stopped;
  report.slowestStartMs = Math.max(report.slowestStartMs, tookMs);
  assert.ok(tookMs < startWithinMs, `It took ${Math.round(tookMs)} ms to answer again.`);
}

async function untilReady(site: RunningSite): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const response = await fetch(`${site.url}/readyz`).catch(() => undefined);
    if (response?.status === 200) return;
    assert.ok(performance.now() < deadline, 'The site does not come back.');
    await sleep(20);
  }
}

/**
 * What `coterie doctor` finds, by a connection of its own: the index of words is looked at through what one
 * has cached.
 */
async function findings({ location, dataDir }: Place) {
  const { db, close } = await openDatabase(location);
  try {
    return await examine({ db, files: folderStore(join(dataDir, 'files'), anyFolder) });
  } finally {
    await close();
  }
}

/** Without an SMTP server each sent mail is a whole file, and nobody's mail is there that was not sent. */
async function checkMailFolder({ db }: Database, { dataDir }: Place): Promise<void> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder)).filter(name => !name.startsWith('.'));
  assert.ok(names.length > 0, 'No mail was sent at all.');
  for (const name of names)
    assert.match(await readFile(join(folder, name), 'utf8'), /--\r\n$/, `${name} is not whole.`);
  const sent = await db
    .selectFrom('mails')
    .select('id')
    .where('state', '=', 'sent')
    // If the database dies between a commit and its answer, it is unknown whether the mail was sent, and it
    // is not sent again.
    .where('error', 'is', null)
    .execute();
  const files = new Set(names);
  assert.deepEqual(
    sent.filter(({ id }) => !files.has(`${id}.eml`)),
    [],
    'A mail was marked as sent and is not there.',
  );
}

/** Numbers between 0 and 1, the same for the same seed: a round that failed can be run again. */
export function randomFrom(seed: number): () => number {
  const random = new Random(seed);
  return () => random.next();
}
