import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../server/db/connect.ts';
import { createPostgresDatabase, startPostgres } from './postgres.ts';
import { scratchFolder } from './scratch.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    /** Empty databases of the newest schema, to be copied: the migrations themselves take longer than most tests. */
    migrated: { sqlite: string; postgres: string };
  }
}

/** One PostgreSQL server for the whole run; each test has a database of its own on it. */
export default async function setup(project: TestProject) {
  const { url, stop } = await startPostgres();
  const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-migrated-'));
  const postgres = await createPostgresDatabase(url);
  for (const databaseUrl of [undefined, postgres.url]) {
    const { close } = await openDatabase({ dataDir, databaseUrl });
    await close();
  }
  project.provide('postgresUrl', url);
  project.provide('migrated', { sqlite: join(dataDir, 'coterie.db'), postgres: postgres.name });
  return async () => {
    await rm(dataDir, { recursive: true, force: true });
    await stop();
  };
}
