import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { openBare, openDatabase } from '../../server/db/connect.ts';
import { appliedMigrations } from '../../server/db/migrate.ts';
import { migrations } from '../../server/db/migrations/index.ts';
import type { Tables } from '../../server/db/tables.ts';
import { indexPosts } from '../../server/search/index-posts.ts';
import { countedPosts, laterMigration } from '../support/later-migration.ts';
import { createDatabase, dropDatabase } from '../support/postgres.ts';
import type { Place } from './place.ts';

/** Enough for the later migration to take its time. */
const posts = 1_500;
export const oldPost = 'post0';
const laterProgram = join(import.meta.dirname, 'later-process.ts');

/**
 * Lets a later version upgrade a database, kills it with -9 somewhere in the migration, and starts it again:
 * then all of it has happened, once, to every row. Each round has a fresh copy.
 */
export async function runMigrations(
  place: Place,
  { rounds, random }: { rounds: number; random: () => number },
) {
  const old = await makeOldDatabase(place);
  const report = { rounds: 0, killedWithin: 0, slowestStartMs: 0 };
  // How long an upgrade takes when nobody kills it.
  const whole = await withCopy(place, old, async location => {
    const start = performance.now();
    assert.deepEqual(await upgrade(location), []);
    return performance.now() - start;
  });
  for (; report.rounds < rounds; report.rounds += 1) {
    await withCopy(place, old, async location => {
      const afterMs = (0.2 + 0.9 * random()) * whole;
      const killed = await upgrade(location, async program => {
        await Promise.race([sleep(afterMs), once(program, 'exit')]);
        program.kill('SIGKILL');
      });
      if (killed === undefined) report.killedWithin += 1;
      const again = performance.now();
      assert.deepEqual(await upgrade(location), []);
      report.slowestStartMs = Math.max(report.slowestStartMs, Math.round(performance.now() - again));
      await assertUpgraded(location);
    });
  }
  return report;
}

export type Location = { dataDir: string; databaseUrl: string | undefined; databaseDirectUrl?: string };

/**
 * Resolves with what is wrong after an upgrade; undefined when `strike`, which breaks something meanwhile,
 * ended it.
 */
export async function upgrade(
  { dataDir, databaseUrl, databaseDirectUrl }: Location,
  strike?: (program: ChildProcess) => Promise<unknown>,
): Promise<unknown[] | undefined> {
  const addresses = { DATABASE_URL: databaseUrl ?? '', DATABASE_DIRECT_URL: databaseDirectUrl ?? '' };
  const child = fork(laterProgram, { env: { ...process.env, DATA_DIR: dataDir, ...addresses } });
  let findings: unknown[] | undefined;
  child.on('message', message => {
    findings = message as unknown[];
  });
  const exit = once(child, 'exit');
  await strike?.(child);
  const [code] = await exit;
  if (strike === undefined) assert.equal(code, 0);
  return findings;
}

/** All of the later migration has happened, once, to every row. */
export async function assertUpgraded(location: Location): Promise<void> {
  await using db = openBare(location);
  assert.deepEqual(await countedPosts(db), { posts, counted: posts });
  assert.deepEqual(await appliedMigrations(db), [...Object.keys(migrations), laterMigration]);
}

async function makeOldDatabase({ location }: Place): Promise<Location> {
  const { db, close } = await openDatabase(location);
  await fillOldDatabase(db);
  await close();
  return location;
}

/** Posts enough for the later migration to take its time. */
export async function fillOldDatabase(db: Kysely<Tables>): Promise<void> {
  const { id: tag_set_id } = await db
    .insertInto('tag_sets')
    .values({ key: '', published_count: posts })
    .returning('id')
    .executeTakeFirstOrThrow();
  const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
  await db.transaction().execute(async trx => {
    for (let number = 0; number < posts; number += 1) {
      const id = `post${number}`;
      const text = `${words} own${number}`;
      const dates = { published_at: number, created_at: number };
      await trx
        .insertInto('posts')
        .values({ id, type: 'short', tag_set_id, ...dates, content: 'x', html: '<p>x</p>', text })
        .execute();
      await indexPosts(trx, [id]);
    }
  });
}

/** Runs something on a fresh copy of a database. */
async function withCopy<T>(
  { postgres, dataDir }: Place,
  old: Location,
  run: (location: Location) => Promise<T>,
): Promise<T> {
  const folder = join(dataDir, 'copy');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  let databaseUrl: string | undefined;
  if (postgres !== undefined && old.databaseUrl !== undefined) {
    databaseUrl = await createDatabase(
      postgres.url,
      old.databaseUrl.slice(old.databaseUrl.lastIndexOf('/') + 1),
    );
  } else {
    await copyFile(join(old.dataDir, 'coterie.db'), join(folder, 'coterie.db'));
  }
  try {
    return await run({ dataDir: folder, databaseUrl });
  } finally {
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
  }
}
