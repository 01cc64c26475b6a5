import assert from 'node:assert/strict';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { SqliteRecord } from '../../server/db/changes/sqlite-record.ts';
import { migrations } from '../../server/db/migrations/index.ts';
import { openPool, postgresDialect, postgresHosts } from '../../server/db/postgres.ts';
import { sqliteDialect } from '../../server/db/sqlite.ts';
import type { Tables } from '../../server/db/tables.ts';
import { freePort, RunningSite } from '../e2e/site.ts';
import { createDatabase, dropDatabase } from '../postgres.ts';
import type { Place } from './place.ts';

/** The schema that the database is left with: the first release had these migrations. */
const oldMigrations = 3;
/** Enough for the search index of migration 0006 to take its time. */
const posts = 1_500;

/**
 * Starts the built server on a database of an old version, kills it with -9 somewhere in the migration, and starts it
 * again: then all of it has happened, once, to every row. Each round has a fresh copy.
 */
export async function runMigrations(
  place: Place,
  { rounds, random }: { rounds: number; random: () => number },
) {
  const old = await makeOldDatabase(place);
  const report = { rounds: 0, killedWithin: 0, slowestStartMs: 0 };
  // How long a start takes when nobody kills it.
  const whole = await withCopy(place, old, async site => {
    const start = performance.now();
    await site.start();
    return performance.now() - start;
  });
  for (; report.rounds < rounds; report.rounds += 1) {
    await withCopy(place, old, async (site, location) => {
      const start = site.start().then(
        () => true,
        () => false,
      );
      await sleep((0.2 + 0.9 * random()) * whole);
      await site.stop('SIGKILL');
      if (!(await start)) report.killedWithin += 1;
      const again = performance.now();
      await site.start();
      report.slowestStartMs = Math.max(report.slowestStartMs, Math.round(performance.now() - again));
      assert.match(await site.cli('doctor'), /No problems found/);
      const db = open(location);
      try {
        const { rows } = await sql<{ posts: string | number; words: string | number }>`
          select (select count(*) from posts) as posts, (select count(*) from post_search) as words`.execute(
          db,
        );
        assert.deepEqual(
          rows.map(row => [Number(row.posts), Number(row.words)]),
          [[posts, posts]],
        );
        const { rows: applied } = await sql<{
          name: string;
        }>`select name from migrations order by name`.execute(db);
        assert.deepEqual(
          applied.map(row => row.name),
          Object.keys(migrations),
        );
      } finally {
        await db.destroy();
      }
    });
  }
  return report;
}

type Location = { dataDir: string; databaseUrl: string | undefined };

function open({ dataDir, databaseUrl }: Location): Kysely<Tables> {
  const nobody = () => {};
  return new Kysely<Tables>({
    dialect:
      databaseUrl === undefined
        ? sqliteDialect(join(dataDir, 'coterie.db'), new SqliteRecord(), nobody)
        : postgresDialect(openPool(postgresHosts(databaseUrl), 5), nobody),
  });
}

async function makeOldDatabase({ location, engine }: Place): Promise<Location> {
  const db = open(location);
  const known = Object.entries(migrations).slice(0, oldMigrations);
  const { error } = await new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          known.map(([name, migration]) => [
            name,
            { up: (trx: Kysely<unknown>) => migration.up(trx, engine) },
          ]),
        ),
    },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  }).migrateToLatest();
  if (error !== undefined) throw error;
  await sql`insert into tag_sets (key, published_count) values ('', ${posts})`.execute(db);
  const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
  for (let from = 0; from < posts; from += 500) {
    const rows = Array.from({ length: 500 }, (_, index) => {
      const number = from + index;
      return sql`(${`post${number}`}, 'short', 1, ${number}, ${number}, 'x', '<p>x</p>', ${`${words} own${number}`})`;
    });
    await sql`insert into posts (id, type, tag_set_id, published_at, created_at, content, html, text)
      values ${sql.join(rows)}`.execute(db);
  }
  await db.destroy();
  return location;
}

/** Runs something on a fresh copy of a database, with a site that has not been started. */
async function withCopy<T>(
  { postgres, dataDir }: Place,
  old: Location,
  run: (site: RunningSite, location: Location) => Promise<T>,
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
  const site = new RunningSite(
    folder,
    await freePort(),
    databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
  );
  try {
    return await run(site, { dataDir: folder, databaseUrl });
  } finally {
    await site.stop();
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
  }
}
