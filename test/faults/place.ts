import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningSite } from '../e2e/site.ts';
import { freePort } from '../support/free-port.ts';
import { createDatabase, dropDatabase, type Postgres } from '../support/postgres.ts';

export type Engine = 'sqlite' | 'postgres';

/** Where a site of the harness keeps its data: an empty folder and, on PostgreSQL, an empty database. */
export type Place = {
  engine: Engine;
  dataDir: string;
  location: { dataDir: string; databaseUrl: string | undefined };
  /** The server of the database; undefined on SQLite. */
  postgres: Postgres | undefined;
  /**
   * The built program on this place, or with its files in another folder; not started yet, at a port of its
   * own.
   */
  site(settings?: Record<string, string>, dataDir?: string): Promise<RunningSite>;
};

/** Runs something on a place of its own, and stops whatever was started there. */
export async function onPlace<T>(
  postgres: Postgres | undefined,
  run: (place: Place) => Promise<T>,
  dataDir?: string,
): Promise<T> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'coterie-faults-')));
  const databaseUrl = postgres && (await createDatabase(postgres.url));
  const sites: RunningSite[] = [];
  try {
    return await run({
      engine: postgres === undefined ? 'sqlite' : 'postgres',
      dataDir: folder,
      location: { dataDir: folder, databaseUrl },
      postgres,
      site: async (settings = {}, otherDir = folder) => {
        const site = new RunningSite(otherDir, await freePort(), {
          ...(databaseUrl && { DATABASE_URL: databaseUrl }),
          ...settings,
        });
        sites.push(site);
        return site;
      },
    });
  } finally {
    for (const site of sites) await site.stop();
    // An error here would hide the first one, and the server is removed with all its databases.
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl).catch(() => {});
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
  }
}
