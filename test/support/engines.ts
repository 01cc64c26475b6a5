import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, inject } from 'vitest';
import type { Web } from '../../server/surfaces/pages/web.ts';
import { createDatabase, dropDatabase, Emptying } from './postgres.ts';
import { scratchFolder } from './scratch.ts';
import { type Location, openSite, type Person, type Site } from './site.ts';

const engines = ['sqlite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

type Tests = (context: {
  site(web?: Web): Promise<Site>;
  siteWithAdmin(): Promise<[Site, NonNullable<Person>]>;
  location(): Promise<Location>;
  migrated(): Promise<Location>;
  engine: Engine;
}) => void;

/**
 * The same tests on both engines. `site()` opens an empty site on a database of its own, which goes with the
 * test, and `siteWithAdmin()` one with an admin; `location()` only makes the place for one. A site starts
 * from a copy of a database that has been migrated once for the whole run, which `migrated()` makes without
 * opening it; at a location nothing is yet.
 */
export const describeEngines = (tests: Tests) => describeEach(engines, tests);

/** Tests of what does not depend on the engine, on the one of which a site takes a quarter of the time. */
export const describeSqlite = (tests: Tests) => describeEach(['sqlite'], tests);

function describeEach(chosen: readonly Engine[], tests: Tests): void {
  describe.each(chosen)('%s', engine => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    });
    // A new database takes PostgreSQL longer than most tests: sites hand theirs on, emptied.
    const spare: { databaseUrl: string; emptying: Emptying }[] = [];
    afterAll(async () => {
      for (const { databaseUrl, emptying } of spare) {
        await emptying.close();
        await dropDatabase(databaseUrl);
      }
    });

    const newDatabase = async (template: string) => {
      const databaseUrl = await createDatabase(inject('postgresUrl'), template);
      return { databaseUrl, emptying: new Emptying(databaseUrl) };
    };
    const folder = async () => {
      const path = await mkdtemp(join(scratchFolder(), 'coterie-test-'));
      cleanups.push(() => rm(path, { recursive: true, force: true }));
      return path;
    };
    const location = async () => {
      const dataDir = await folder();
      if (engine === 'sqlite') return { dataDir, databaseUrl: undefined };
      const databaseUrl = await createDatabase(inject('postgresUrl'));
      cleanups.push(() => dropDatabase(databaseUrl));
      return { dataDir, databaseUrl };
    };
    const migrated = async () => {
      const dataDir = await folder();
      const templates = inject('templates');
      if (engine === 'sqlite') {
        await copyFile(templates.sqlite, join(dataDir, 'coterie.db'));
        return { dataDir, databaseUrl: undefined };
      }
      const { databaseUrl, emptying } = spare.pop() ?? (await newDatabase(templates.postgres));
      cleanups.push(async () => {
        await emptying.run();
        spare.push({ databaseUrl, emptying });
      });
      return { dataDir, databaseUrl };
    };
    const site = async (web?: Web) => {
      const opened = await openSite(await migrated(), {}, web);
      cleanups.push(opened.close);
      return opened;
    };
    const siteWithAdmin = async (): Promise<[Site, NonNullable<Person>]> => {
      const opened = await site();
      return [opened, await opened.admin()];
    };
    tests({ site, siteWithAdmin, location, migrated, engine });
  });
}
