import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import { channel, listenForNotices, type Notices } from './changes/postgres-notices.ts';
import { PostgresRecord } from './changes/postgres-record.ts';
import { ChangeRecord } from './changes/record.ts';
import { SqliteRecord } from './changes/sqlite-record.ts';
import { makeFolder } from './data-folder.ts';
import { appliedMigrations, assertCurrent, migrate, SchemaError, type Target } from './migrate.ts';
import { postgresClient, postgresDialect, postgresPlace } from './postgres.ts';
import { openingRefusal } from './postgres-errors.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type Database = {
  db: Kysely<Tables>;
  changes: ChangeRecord;
  close(): Promise<void>;
};

export type DatabaseLocation = {
  /** PostgreSQL, or a pooler before it; undefined for SQLite in `dataDir`. */
  databaseUrl: string | undefined;
  /** The same database past the pooler, for migrations and notices. */
  databaseDirectUrl?: string | undefined;
  /** Connections of this process to PostgreSQL, at most; at least 3. */
  databaseConnections?: number;
  dataDir: string;
};

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
  location: DatabaseLocation,
  opening: Opening = 'upgrade',
  warn: (message: string) => void = () => {},
): Promise<Database> {
  const { databaseUrl, dataDir } = location;
  if (databaseUrl !== undefined) return await openPostgres({ ...location, databaseUrl }, opening, warn);
  const path = join(dataDir, 'coterie.db');
  if (opening === 'nothing' && !existsSync(path)) throw noSite(resolve(dataDir));
  await makeFolder(dataDir);
  const record = new SqliteRecord();
  const changes = new ChangeRecord(record);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(path, record, () => changes.noteWrite()) });
  await prepare(db, { engine: 'sqlite', backupDir: join(dataDir, 'backups') }, opening, resolve(dataDir));
  return { db, changes, close: () => db.destroy() };
}

async function openPostgres(
  { databaseUrl, databaseDirectUrl, databaseConnections = 5 }: DatabaseLocation & { databaseUrl: string },
  opening: Opening,
  warn: (message: string) => void,
): Promise<Database> {
  const db = new Kysely<Tables>({
    // One connection is the record's, one is for notices.
    dialect: postgresDialect(databaseUrl, Math.max(1, databaseConnections - 2), () => changes.noteWrite()),
  });
  let notices: Notices | undefined;
  const notify = (word: string) => sql`select pg_notify(${channel}, ${word})`.execute(db);
  const record = new PostgresRecord(postgresClient(databaseUrl), () => {
    if (notices?.isHeard()) notify('').catch(() => {});
  });
  const changes = new ChangeRecord(record);
  await preparePostgres(db, databaseUrl, databaseDirectUrl, opening);
  notices = listenForNotices(postgresClient(databaseDirectUrl ?? databaseUrl), {
    notify,
    hint: () => changes.hint(),
    onDeaf: () => warn(deafText),
  });
  return {
    db,
    changes,
    close: async () => {
      notices?.close();
      record.close();
      await db.destroy();
    },
  };
}

/** Migrations hold a lock and take longer than other statements may: past the pooler, where there is one. */
async function preparePostgres(
  db: Kysely<Tables>,
  url: string,
  directUrl: string | undefined,
  opening: Opening,
): Promise<void> {
  const way =
    directUrl === undefined ? db : new Kysely<Tables>({ dialect: postgresDialect(directUrl, 1, () => {}) });
  try {
    await prepare(way, { engine: 'postgres' }, opening, postgresPlace(directUrl ?? url));
  } catch (error) {
    if (way !== db) await db.destroy();
    throw error;
  }
  if (way !== db) await way.destroy();
}

const deafText =
  'Notices of the database do not arrive, as behind a pooler in transaction mode. Nothing depends on them: changes of ' +
  'other processes reach open pages within a fifth of a second. DATABASE_DIRECT_URL can name a way past the pooler.';

async function prepare(db: Kysely<Tables>, target: Target, opening: Opening, place: string): Promise<void> {
  try {
    const isNew = (await appliedMigrations(db)).length === 0;
    if (isNew && opening === 'nothing') throw noSite(place);
    if (target.engine === 'postgres' && opening !== 'nothing') await refuseReadOnly(db, place);
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

/** A standby answers reads and is of no use to a site, which could not even let somebody sign in. */
async function refuseReadOnly(db: Kysely<Tables>, place: string): Promise<void> {
  const { rows } = await sql<{ isReadOnly: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly"`.execute(db);
  if (!rows[0]?.isReadOnly) return;
  throw new SchemaError(
    `Could not open ${place}: it takes no changes. Is it a standby? DATABASE_URL must name the primary.`,
  );
}

function noSite(place: string): SchemaError {
  return new SchemaError(
    `There is no site in ${place} that this user can read. DATA_DIR or DATABASE_URL says where it is; \`coterie start\` makes a new one.`,
  );
}
