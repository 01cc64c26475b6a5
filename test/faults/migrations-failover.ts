import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { createId } from '../../server/base/id.ts';
import { openBare, openDatabase } from '../../server/db/connect.ts';
import { appliedMigrations } from '../../server/db/migrate.ts';
import type { Tables } from '../../server/db/tables.ts';
import { laterMigration } from '../support/later-migration.ts';
import { hasPgBouncer } from '../support/pgbouncer.ts';
import { Client } from './client.ts';
import { startCluster } from './cluster.ts';
import { assertUpgraded, fillOldDatabase, type Location, oldPost, upgrade } from './migrations.ts';
import type { Place } from './place.ts';

/** What bars.md allows until members are answered again. */
const backWithinMs = 10_000;

/**
 * Lets a later version upgrade the database beside a running process, behind PgBouncer, kills the primary
 * somewhere in the migration, and promotes its standby: then all of the migration has happened, or nothing.
 * The next start completes it, and the process goes on all the while: what it acknowledged before, and what
 * it saves afterwards, is there.
 */
export async function runMigrationsFailover(
  place: Place,
  { rounds, random }: { rounds: number; random: () => number },
): Promise<object> {
  if (place.postgres === undefined) return { skipped: 'only on PostgreSQL' };
  if (!hasPgBouncer) return { skipped: 'PgBouncer is not installed' };
  const report = { rounds: 0, interrupted: 0, applied: 0, slowestMs: 0 };
  for (; report.rounds < rounds; report.rounds += 1) {
    const cluster = await startCluster({ isPooled: true });
    const { DATABASE_URL, DATABASE_DIRECT_URL = '' } = cluster.settings;
    const location = { ...place.location, databaseUrl: DATABASE_URL, databaseDirectUrl: DATABASE_DIRECT_URL };
    const { db, close } = await openDatabase(location);
    const site = await place.site(cluster.settings);
    try {
      await fillOldDatabase(db);
      await site.start();
      await site.createAdmin();
      const comments = await Comments.begin(site.url);
      await comments.writeUntilSaved();
      const found = await upgrade(location, async program => {
        await untilUnderWay(db, program);
        await sleep(2_000 * random());
        await cluster.failOver();
      });
      const start = performance.now();
      await comments.writeUntilSaved();
      report.slowestMs = Math.max(report.slowestMs, Math.round(performance.now() - start));
      if (found === undefined) report.interrupted += 1;
      if (await isApplied(location)) report.applied += 1;
      assert.deepEqual(await upgrade(location), []);
      await assertUpgraded(location);
      await comments.writeUntilSaved();
      await comments.check();
      assert.doesNotMatch(site.output, /unexpected error/);
    } finally {
      await site.stop('SIGKILL');
      await close();
      await cluster.stop();
    }
    assert.ok(report.slowestMs < backWithinMs, `Saving took ${report.slowestMs} ms after the failover.`);
  }
  return report;
}

/** Resolves once the migration has changed its first table, or the program has ended. */
async function untilUnderWay(db: Kysely<Tables>, program: ChildProcess): Promise<void> {
  for (let locks = 0; locks === 0 && program.exitCode === null; await sleep(20)) {
    const { rows } = await sql`select 1 from pg_locks
      where relation = 'posts'::regclass and mode = 'AccessExclusiveLock' and granted`.execute(db);
    locks = rows.length;
  }
}

/** Whether the database has all of the later migration; otherwise it must have nothing of it. */
async function isApplied(location: Location): Promise<boolean> {
  await using db = openBare(location);
  const applied = await appliedMigrations(db);
  const { rows } = await sql`select 1 from information_schema.columns
    where table_name = 'posts' and column_name = 'word_count'`.execute(db);
  assert.equal(rows.length === 1, applied.includes(laterMigration));
  return rows.length === 1;
}

/** What an admin writes over the process of the older version. */
class Comments {
  readonly #admin: Client;
  readonly #saved: string[] = [];

  private constructor(admin: Client) {
    this.#admin = admin;
  }

  static async begin(url: string): Promise<Comments> {
    const admin = new Client(url);
    await admin.signIn('mina@example.com');
    return new Comments(admin);
  }

  async writeUntilSaved(): Promise<void> {
    const content = `Comment ${this.#saved.length}.`;
    // The same key finds a comment that was saved without an answer.
    const key = createId();
    while ((await this.#admin.call('addComment', { postId: oldPost, content, key })) === undefined)
      await sleep(50);
    this.#saved.push(content);
  }

  async check(): Promise<void> {
    const { comments } = await this.#admin.result('listComments', { postId: oldPost });
    const there = comments.map(({ content }) => content);
    assert.deepEqual(there.toSorted(), this.#saved);
  }
}
