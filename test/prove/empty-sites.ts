import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../server/db/connect.ts';
import { createDatabase, dropDatabase, type Postgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';
import type { Location } from '../support/site.ts';
import { type Archive, restoreTo } from './backups.ts';

/** Makes places for sites, each an empty database with the newest schema and a folder. */
export type EmptySites = {
  /** An empty site, or one restored from an archive. */
  make(archive?: Archive): Promise<{ location: Location; remove(): Promise<void> }>;
  stop(): Promise<void>;
};

/** On a PostgreSQL server, or on SQLite. The schema is made once; every place is a copy. */
export async function startEmptySites(postgres: Postgres | undefined): Promise<EmptySites> {
  const folder = () => mkdtemp(join(scratchFolder(), 'coterie-prove-'));
  const template = { dataDir: await folder(), databaseUrl: postgres && (await createDatabase(postgres.url)) };
  const { close } = await openDatabase(template);
  await close();
  return {
    make: async archive => {
      const dataDir = await folder();
      const source = archive === undefined ? template.databaseUrl?.split('/').at(-1) : undefined;
      const databaseUrl = postgres && (await createDatabase(postgres.url, source));
      if (archive !== undefined) {
        await restoreTo({ dataDir, databaseUrl }, archive);
      } else if (databaseUrl === undefined) {
        await copyFile(join(template.dataDir, 'coterie.db'), join(dataDir, 'coterie.db'));
      }
      const remove = async () => {
        if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
        await rm(dataDir, { recursive: true, force: true });
      };
      return { location: { dataDir, databaseUrl }, remove };
    },
    stop: async () => {
      await rm(template.dataDir, { recursive: true, force: true });
      if (template.databaseUrl !== undefined) await dropDatabase(template.databaseUrl);
    },
  };
}
