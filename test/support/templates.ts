import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../server/db/connect.ts';
import { createDatabase } from './postgres.ts';
import { scratchFolder } from './scratch.ts';

/**
 * Empty databases of the newest schema, to copy: a SQLite file's path and the name of a PostgreSQL database.
 */
export type Templates = { sqlite: string; postgres: string };

/** Makes the templates, on the PostgreSQL server at the address. */
export async function createTemplates(
  postgresUrl: string,
): Promise<{ templates: Templates; remove(): Promise<void> }> {
  const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-templates-'));
  const databaseUrl = await createDatabase(postgresUrl);
  for (const location of [
    { dataDir, databaseUrl: undefined },
    { dataDir, databaseUrl },
  ]) {
    const { close } = await openDatabase(location);
    await close();
  }
  return {
    templates: {
      sqlite: join(dataDir, 'coterie.db'),
      postgres: databaseUrl.slice(databaseUrl.lastIndexOf('/') + 1),
    },
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}
