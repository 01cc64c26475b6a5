import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, inject } from 'vitest';
import { createPostgresDatabase } from './postgres.ts';
import { type Location, openSite, type Site } from './site.ts';

export const engines = ['sqlite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

/**
 * The same tests on both engines. `site()` opens an empty site on a database of its own, which goes with the test;
 * `location()` only makes the place for one.
 */
export function describeEngines(
  name: string,
  tests: (context: { site(): Promise<Site>; location(): Promise<Location>; engine: Engine }) => void,
): void {
  describe.each(engines)(`${name} (%s)`, engine => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    });
    const location = async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'coterie-test-'));
      cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
      if (engine === 'sqlite') return { dataDir, databaseUrl: undefined };
      const { url, drop } = await createPostgresDatabase(inject('postgresUrl'));
      cleanups.push(drop);
      return { dataDir, databaseUrl: url };
    };
    const site = async () => {
      const opened = await openSite(await location());
      cleanups.push(opened.close);
      return opened;
    };
    tests({ site, location, engine });
  });
}
