import { spawnSync } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { readConfig } from '../../server/config.ts';
import { outages } from '../../server/db/outage.ts';
import { readSetting, writeSetting } from '../../server/db/setting.ts';
import type { Tables } from '../../server/db/tables.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { startServer } from '../../server/start.ts';
import { environment, program } from '../processes/built.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { type Location, openSite, sourcePages } from '../support/site.ts';

/** Overwrites a page of a SQLite file, the first of which has number 1. */
async function overwrite({ dataDir }: Location, page: number): Promise<void> {
  await using file = await open(join(dataDir, 'coterie.db'), 'r+');
  await file.write(Buffer.alloc(4_096, 0xa5), 0, 4_096, (page - 1) * 4_096);
}

/** A site of which the page with the posts is damaged. */
async function damagedSite(place: Location) {
  const before = await openSite(place);
  await publish(before, await before.admin(), essay(), essay());
  const found = await sql<{ page: number }>`select rootpage as page from sqlite_schema
    where name = 'posts'`.execute(before.deps.db);
  await before.close();
  await overwrite(place, found.rows[0]?.page ?? 0);
}

const coterie = ({ dataDir }: Location, ...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], {
    cwd: dataDir,
    env: { ...environment, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' },
    encoding: 'utf8',
  });

/** PostgreSQL's own error for a damaged page, from statements that change posts. */
async function failLikeDamage(db: Kysely<Tables>): Promise<void> {
  await sql`create function damaged() returns trigger language plpgsql as $$
    begin raise exception 'invalid page in block 7' using errcode = 'XX001'; end $$`.execute(db);
  await sql`create trigger damaged before update on posts execute function damaged()`.execute(db);
}

describeEngines(({ migrated, location, engine }) => {
  it('a damaged database is told in one sentence, takes no changes any more, and makes the process unready', async () => {
    // On a database of its own, because the trigger in PostgreSQL is never removed.
    const place = await location();
    if (engine === 'sqlite') await damagedSite(place);
    const s = await openSite(place);
    try {
      if (engine === 'postgres') await failLikeDamage(s.deps.db);
      expect((await s.request('/readyz')).status).toBe(200);
      await writeSetting(s.deps.db, 'about', 'before');
      // The engine finds it with whatever reads or writes there first.
      const finding = s.deps.db.updateTable('posts').set({ like_count: 7 }).execute();
      await expect(finding).rejects.toThrow(outages.damaged);
      const asked = await s.request('/api/getPosts', null, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"data":{}}',
      });
      if (engine === 'sqlite') {
        expect(asked.status).toBe(503);
        expect((await asked.json()).error.message).toBe(outages.damaged);
      }
      expect((await s.request('/readyz')).status).toBe(503);
      const writing = writeSetting(s.deps.db, 'about', 'after');
      await expect(writing).rejects.toThrow(outages.damaged);
      expect(await readSetting(s.deps.db, 'about')).toBe('before');
    } finally {
      await s.close();
    }
  });

  it('a damaged database is what doctor finds before it counts anything', async () => {
    if (engine === 'postgres') {
      const s = await openSite(await location());
      await publish(s, await s.admin(), essay());
      await sql`drop table likes cascade`.execute(s.deps.db);
      await sql`create function damaged() returns setof integer language plpgsql as $$
        begin raise exception 'invalid page in block 7' using errcode = 'XX001'; end $$`.execute(s.deps.db);
      await sql`create view likes as select 'x' as user_id, 'y' as post_id from damaged()`.execute(s.deps.db);
      const broken = [`${outages.damaged} (invalid page in block 7)`];
      expect(await examine(s.deps)).toEqual([{ rule: 'The database is intact.', broken }]);
      await s.close();
      return;
    }
    const place = await migrated();
    await damagedSite(place);
    const { status, stdout } = coterie(place, 'doctor');
    expect(status).toBe(1);
    expect(stdout).toContain(outages.damaged);
    expect(stdout).toMatch(/Tree \d+|malformed|btreeInit/);
    const s = await openSite(place);
    await expect(exportSite(s.deps, join(place.dataDir, 'site.tar'))).rejects.toThrow(outages.damaged);
    await s.close();
    expect((await readdir(place.dataDir)).filter(name => name.includes('.tar'))).toEqual([]);
    const exported = coterie(place, 'export', join(place.dataDir, 'site.tar'));
    expect([exported.status, exported.stderr]).toEqual([
      1,
      `${outages.damaged} (database disk image is malformed)\n`,
    ]);
  });

  if (engine === 'sqlite') {
    it.each([['doctor'], ['export'], ['history']])(
      'a database that cannot be opened ends `coterie %s` with the sentence and SQLite’s own words',
      async (...args) => {
        const place = await migrated();
        await overwrite(place, 1);
        const { status, stderr } = coterie(place, ...args);
        expect([status, stderr]).toEqual([
          1,
          `${place.dataDir}: ${outages.damaged} (file is not a database)\n`,
        ]);
      },
    );

    it('a database that cannot be opened ends a start with the sentence', async () => {
      const place = await migrated();
      await overwrite(place, 1);
      const config = readConfig({ DATA_DIR: place.dataDir, PORT: '0', LOG_LEVEL: 'silent' });
      const starting = startServer(config, sourcePages);
      await expect(starting).rejects.toThrow(`${outages.damaged} (file is not a database)`);
    });
  }
});
