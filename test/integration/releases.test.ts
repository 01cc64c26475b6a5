import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { admin, people } from '../../scripts/demo/people.ts';
import { examine } from '../../server/cli/examine.ts';
import { openBare, openDatabase } from '../../server/db/connect.ts';
import { appliedMigrations } from '../../server/db/migrate.ts';
import { migrations } from '../../server/db/migrations/index.ts';
import { listTables } from '../../server/db/table-columns.ts';
import type { Tables } from '../../server/db/tables.ts';
import { signIn } from '../releases/fill.ts';
import { describeEngines, type Engine } from '../support/engines.ts';
import { countedPosts, laterMigration, withLaterMigration } from '../support/later-migration.ts';
import { type Location, openSite } from '../support/site.ts';

const folder = join(import.meta.dirname, '../releases');
const releases = (await readdir(folder)).flatMap(name => /^(.*)-sqlite\.tar\.gz$/.exec(name)?.[1] ?? []);
const firstRelease = '0.1.0';

/** Makes a place hold the site that was kept of a release. */
async function unpack(release: string, engine: Engine, { dataDir, databaseUrl }: Location): Promise<void> {
  execFileSync('tar', ['-xzf', join(folder, `${release}-${engine}.tar.gz`), '-C', dataDir]);
  if (databaseUrl === undefined) return;
  const dump = await readFile(join(dataDir, 'dump.sql'), 'utf8');
  const client = new Client(databaseUrl);
  await client.connect();
  // Lines with a backslash are for the program psql.
  await client.query(dump.replaceAll(/^\\.*$/gm, ''));
  await client.end();
}

/** What tables of a release are called now. */
const renamed: Record<string, string> = { accounts: 'sign_in_methods' };

/** How many rows each table has, by its name now, but for those that an upgrade writes to or removes. */
async function countRows(db: Kysely<Tables>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await listTables(db)) {
    if (/^migrations|^changes$|^settings$|^verifications$|^post_search/.test(table)) continue;
    const { rows } = await sql<{ count: string | number }>`
      select count(*) as count from ${sql.table(table)}`.execute(db);
    counts[renamed[table] ?? table] = Number(rows[0]?.count);
  }
  return counts;
}

async function listMigrations(place: Location): Promise<string[]> {
  await using db = openBare(place);
  return await appliedMigrations(db);
}

describeEngines(({ location, engine }) => {
  it.each(releases)('a site of release %s has all its rows after an upgrade, and answers', async release => {
    const place = await location();
    await unpack(release, engine, place);
    const kept = openBare(place);
    const before = await countRows(kept).finally(() => kept.destroy());
    expect(before.posts).toBeGreaterThan(0);
    await withLaterMigration(async () => {
      const s = await openSite(place);
      try {
        expect(await appliedMigrations(s.deps.db)).toEqual(Object.keys(migrations));
        // Tables that were added since have no rows of it.
        expect(await countRows(s.deps.db)).toMatchObject(before);
        expect(await examine(s.deps)).toEqual([]);
        expect(await countedPosts(s.deps.db)).toEqual({ posts: before.posts, counted: before.posts });

        const marit = await signIn(s, admin.email);
        const { posts } = await s.call(marit, 'listPosts', { search: 'uphill' });
        expect(posts.map(post => post.title)).toEqual(['A walk']);
        const notes = (await s.call(marit, 'listPosts', { search: 'rivers' })).posts[0];
        const { post } = await s.call(marit, 'getPost', { postId: notes?.id ?? '' });
        const file = await s.request(post.attachments[0]?.url ?? '', marit);
        expect(await file.text()).toBe('The lock at noon.');
        const anders = await signIn(s, people[0]?.email ?? '');
        await s.call(anders, 'addComment', { postId: post.id, content: 'Still here.' });
        expect((await s.call(marit, 'getPost', { postId: post.id })).post.commentCount).toBe(1);
      } finally {
        await s.close();
      }
    });
    expect(await listMigrations(place)).toContain(laterMigration);
    if (engine === 'sqlite') expect(await readdir(join(place.dataDir, 'backups'))).toHaveLength(1);
  });
});

describeEngines(({ location, engine }) => {
  it('a database of the first release is not changed by a command that may only open it', async () => {
    const place = await location();
    await unpack(firstRelease, engine, place);
    const before = await listMigrations(place);
    await expect(openDatabase(place, 'nothing')).rejects.toThrow('older schema than this version');
    expect(await listMigrations(place)).toEqual(before);
  });

  it('a database of the first release is upgraded once when two processes start at the same time', async () => {
    const place = await location();
    await unpack(firstRelease, engine, place);
    const opened = await Promise.all([openDatabase(place), openDatabase(place)]);
    await Promise.all(opened.map(({ close }) => close()));
    expect(await listMigrations(place)).toEqual(Object.keys(migrations));
  });

  it('a database of the first release is not changed when a later migration fails', async () => {
    const place = await location();
    await unpack(firstRelease, engine, place);
    const before = await listMigrations(place);
    migrations['9999-broken'] = {
      up: async () => {
        throw new Error('on purpose');
      },
    };
    try {
      await expect(openDatabase(place)).rejects.toThrow('nothing was changed: on purpose');
    } finally {
      delete migrations['9999-broken'];
    }
    expect(await listMigrations(place)).toEqual(before);
  });
});
