import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, inject } from 'vitest';
import { createPostgresDatabase } from './postgres.ts';
import { scratchFolder } from './scratch.ts';
import { type Location, openSite, type Site } from './site.ts';

export const engines = ['sqlite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

/**
 * The same tests on both engines. `site()` opens an empty site on a database of its own, which goes with the test;
 * `location()` only makes the place for one, without any table.
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
    const place = async (isMigrated: boolean) => {
      const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-test-'));
      cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
      const { sqlite, postgres } = inject('migrated');
      if (engine === 'sqlite') {
        if (isMigrated) await copyFile(sqlite, join(dataDir, 'coterie.db'));
        return { dataDir, databaseUrl: undefined };
      }
      const { url, drop } = await createPostgresDatabase(
        inject('postgresUrl'),
        isMigrated ? postgres : undefined,
      );
      cleanups.push(drop);
      return { dataDir, databaseUrl: url };
    };
    const location = () => place(false);
    const site = async () => {
      const opened = await openSite(await place(true));
      cleanups.push(opened.close);
      return opened;
    };
    tests({ site, location, engine });
  });
}
