import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Kysely } from 'kysely';
import { Changes } from './changes.ts';
import { migrate } from './migrate.ts';
import { listenForChanges, postgresDialect } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type Database = {
  db: Kysely<Tables>;
  changes: Changes;
  close(): Promise<void>;
};

export type DatabaseLocation = { databaseUrl: string | undefined; dataDir: string };

/**
 * Opens the database and brings it to the newest schema: PostgreSQL when an address is given, else SQLite in the data
 * folder. Throws {@link SchemaError} for a schema that this program does not know.
 */
export async function openDatabase({ databaseUrl, dataDir }: DatabaseLocation): Promise<Database> {
  const changes = new Changes();
  if (databaseUrl !== undefined) {
    const db = new Kysely<Tables>({ dialect: postgresDialect(databaseUrl, changes) });
    await migrate(db, { engine: 'postgres' });
    const stopListening = await listenForChanges(databaseUrl, changes);
    return {
      db,
      changes,
      close: async () => {
        await stopListening();
        await db.destroy();
      },
    };
  }
  const path = join(dataDir, 'coterie.db');
  await mkdir(dirname(path), { recursive: true });
  const db = new Kysely<Tables>({ dialect: sqliteDialect(path, changes) });
  await migrate(db, { engine: 'sqlite', backupDir: join(dataDir, 'backups') });
  return { db, changes, close: () => db.destroy() };
}
