import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import type pg from 'pg';
import { PostgresRecord } from './changes/postgres-record.ts';
import { ChangeRecord } from './changes/record.ts';
import { SqliteRecord } from './changes/sqlite-record.ts';
import { makeFolder } from './data-folder.ts';
import { dialectOf } from './dialect.ts';
import { hasFilesOfSite } from './folder-marker.ts';
import { compareSchema, migrate, olderSchema, SchemaError } from './migrate.ts';
import { isDamage, withCause } from './outage.ts';
import { openPool, postgresDialect, postgresHosts, postgresPlace } from './postgres.ts';
import { openingRefusal } from './postgres-errors.ts';
import type { PostgresHosts } from './postgres-hosts.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';
import { nobody, type Watcher } from './watched-driver.ts';

export type Database = {
  db: Kysely<Tables>;
  changes: ChangeRecord;
  /** The connections for queries to PostgreSQL. */
  pool?: pg.Pool;
  close(): Promise<void>;
};

export type DatabaseLocation = {
  /** PostgreSQL, or a pooler in front of it; undefined for SQLite in `dataDir`. */
  databaseUrl: string | undefined;
  /** The same database, bypassing the pooler, for migrations. */
  databaseDirectUrl?: string | undefined;
  /** The most connections of this process to PostgreSQL; at least 2. */
  databaseConnections?: number;
  dataDir: string;
};

/**
 * What opening a database may do. `upgrade`: create a new one and upgrade an old one to the newest schema.
 * `make`: only create; `migrate`: only upgrade. `nothing`: a database with the right schema must exist. So a
 * command leaves a running site of another version alone.
 */
export type Opening = 'upgrade' | 'make' | 'migrate' | 'nothing';

/** What opening may do, where the database is, in words, and the function that applies missing migrations. */
type Preparation = { opening: Opening; place: string; upgrade(): Promise<void> };

const mayMake = (opening: Opening) => opening === 'upgrade' || opening === 'make';
const mayUpgrade = (opening: Opening) => opening === 'upgrade' || opening === 'migrate';

/**
 * Opens the database: PostgreSQL if an address is given, otherwise SQLite in the data folder. Throws
 * {@link SchemaError} for a schema that this program does not know, for an older one that may not be
 * upgraded, and if there is no database to open.
 */
export async function openDatabase(
  location: DatabaseLocation,
  opening: Opening = 'upgrade',
  warn: (message: string) => void = () => {},
): Promise<Database> {
  const { databaseUrl, dataDir } = location;
  if (databaseUrl !== undefined) return await openPostgres({ ...location, databaseUrl }, opening, warn);
  const path = join(dataDir, 'coterie.db');
  if (!mayMake(opening) && !existsSync(path)) throw noSite(resolve(dataDir));
  if (!existsSync(path) && hasFilesOfSite(dataDir)) throw noDatabase(resolve(dataDir));
  await makeFolder(dataDir);
  const record = new SqliteRecord();
  const changes = new ChangeRecord(record);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(path, record, changes) });
  const upgrade = () => migrate(db, join(dataDir, 'backups'), warn);
  await prepare(db, { opening, place: resolve(dataDir), upgrade });
  return { db, changes, close: () => db.destroy() };
}

/**
 * Opens a database unchanged, over a connection of its own that bypasses a pooler, for work that takes longer
 * than the site's statements may.
 */
export function openBare({ databaseUrl, databaseDirectUrl, dataDir }: DatabaseLocation): Kysely<Tables> {
  if (databaseUrl !== undefined) return openOwn(postgresHosts(databaseDirectUrl ?? databaseUrl));
  const path = join(dataDir, 'coterie.db');
  return new Kysely<Tables>({ dialect: sqliteDialect(path, new SqliteRecord(), nobody) });
}

async function openPostgres(
  { databaseUrl, databaseDirectUrl, databaseConnections = 5 }: DatabaseLocation & { databaseUrl: string },
  opening: Opening,
  warn: (message: string) => void,
): Promise<Database> {
  const hosts = postgresHosts(databaseUrl);
  const directHosts = databaseDirectUrl === undefined ? hosts : postgresHosts(databaseDirectUrl);
  const place = postgresPlace(databaseUrl);
  const directPlace = postgresPlace(databaseDirectUrl ?? databaseUrl);
  // Migrations hold a lock and may take longer than other statements: over a connection of their own that
  // bypasses a pooler.
  const upgrade = async () => {
    await using own = openOwn(directHosts);
    await migrate(own, undefined, warn);
  };
  if (directHosts !== hosts) {
    await directHosts.find();
    await using own = openOwn(directHosts);
    await prepare(own, { opening, place: directPlace, upgrade });
  }
  await hosts.find();
  // One connection is for the record of changes.
  const pool = openPool(hosts, databaseConnections - 1);
  const watcher: Watcher = {
    committed: () => changes.committed(),
    noteDamage: damage => changes.noteDamage(damage),
  };
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool, watcher) });
  const record = new PostgresRecord(hosts);
  const changes = new ChangeRecord(record);
  // Past a pooler everything has been prepared already.
  const refuse = async () => {
    throw new SchemaError(
      `DATABASE_URL and DATABASE_DIRECT_URL must lead to the same database: ${place} has another schema than ${directPlace}.`,
    );
  };
  await prepare(db, { opening, place, upgrade: directHosts === hosts ? upgrade : refuse });
  return {
    db,
    changes,
    pool,
    close: async () => {
      record.close();
      await db.destroy();
    },
  };
}

/** A database over a connection of its own, without a time limit for statements. */
const openOwn = (hosts: PostgresHosts) =>
  new Kysely<Tables>({ dialect: postgresDialect(openPool(hosts, 1, { mayBeSilent: true }), nobody) });

/** Prepares the database, or closes it if it cannot be used. */
async function prepare(db: Kysely<Tables>, { opening, place, upgrade }: Preparation): Promise<void> {
  const isPostgres = dialectOf(db).engine === 'postgres';
  try {
    const { applied, missing } = await compareSchema(db);
    if (applied.length === 0 && !mayMake(opening)) throw noSite(place);
    if (isPostgres && opening !== 'nothing') await refuseReadOnly(db, place);
    if (missing.length === 0) return;
    if (applied.length > 0 && !mayUpgrade(opening)) throw olderSchema(missing);
    await upgrade();
  } catch (error) {
    await db.destroy();
    if (isDamage(error)) throw new SchemaError(`${place}: ${withCause(error)}`, { cause: error });
    const refusal = isPostgres ? openingRefusal(error) : undefined;
    throw refusal === undefined
      ? error
      : new SchemaError(`Could not open ${place}: ${refusal}.`, { cause: error });
  }
}

/** Refuses a standby: it answers only reads, and a site could not even sign anybody in. */
async function refuseReadOnly(db: Kysely<Tables>, place: string): Promise<void> {
  const { rows } = await sql<{ isReadOnly: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly"`.execute(db);
  if (!rows[0]?.isReadOnly) return;
  throw new SchemaError(
    `Could not open ${place}: it takes no changes. Is it a standby? DATABASE_URL must name the primary.`,
  );
}

function noDatabase(place: string): SchemaError {
  return new SchemaError(
    `${place} holds the files of a site, and no coterie.db. Bring the database back, or restore a backup into an empty folder; ` +
      'for a new site, choose another folder.',
  );
}

function noSite(place: string): SchemaError {
  return new SchemaError(
    `There is no site in ${place} that this user can read. DATA_DIR or DATABASE_URL says where it is; \`coterie start\` makes a new one.`,
  );
}
