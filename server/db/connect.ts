import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import { Changes } from './changes.ts';
import { makeFolder } from './data-folder.ts';
import { appliedMigrations, assertCurrent, migrate, SchemaError, type Target } from './migrate.ts';
import { listenForChanges, openingRefusal, postgresDialect, postgresPlace } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type Database = {
  db: Kysely<Tables>;
  changes: Changes;
  close(): Promise<void>;
};

export type DatabaseLocation = { databaseUrl: string | undefined; dataDir: string };

/**
 * What opening may change. `upgrade`: it makes a new database, and brings an old one to the newest schema. `make`: it only
 * makes a new one. `nothing`: there has to be one. So a command beside a running site of another version leaves it alone.
 */
export type Opening = 'upgrade' | 'make' | 'nothing';

/**
 * Opens the database: PostgreSQL when an address is given, else SQLite in the data folder. Throws {@link SchemaError} for
 * a schema that this program does not know, for an older one that may not be upgraded, and where there is none to open.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: DatabaseLocation,
  opening: Opening = 'upgrade',
): Promise<Database> {
  const changes = new Changes();
  if (databaseUrl !== undefined) {
    const db = new Kysely<Tables>({ dialect: postgresDialect(databaseUrl, changes) });
    await prepare(db, { engine: 'postgres' }, opening, postgresPlace(databaseUrl));
    const notify = (channel: string, word: string) => sql`select pg_notify(${channel}, ${word})`.execute(db);
    const stopListening = await listenForChanges(databaseUrl, changes, notify);
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
  if (opening === 'nothing' && !existsSync(path)) throw noSite(resolve(dataDir));
  await makeFolder(dataDir);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(path, changes) });
  await prepare(db, { engine: 'sqlite', backupDir: join(dataDir, 'backups') }, opening, resolve(dataDir));
  return { db, changes, close: () => db.destroy() };
}

async function prepare(db: Kysely<Tables>, target: Target, opening: Opening, place: string): Promise<void> {
  try {
    const isNew = (await appliedMigrations(db)).length === 0;
    if (isNew && opening === 'nothing') throw noSite(place);
    if (isNew || opening === 'upgrade') await migrate(db, target);
    else await assertCurrent(db);
  } catch (error) {
    await db.destroy();
    const refusal = target.engine === 'postgres' ? openingRefusal(error) : undefined;
    throw refusal === undefined
      ? error
      : new SchemaError(`Could not open ${place}: ${refusal}.`, { cause: error });
  }
}

function noSite(place: string): SchemaError {
  return new SchemaError(
    `There is no site in ${place} that this user can read. DATA_DIR or DATABASE_URL says where it is; \`coterie start\` makes a new one.`,
  );
}
