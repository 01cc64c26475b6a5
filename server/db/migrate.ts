import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { stampOf } from '../base/clock.ts';
import { dialectOf, isDeadlock, isLockTimeout } from './dialect.ts';
import { migrations, newestMigration } from './migrations/index.ts';
import { isOutage } from './outage.ts';
import type { Tables } from './tables.ts';

/** The database cannot be brought to this program's schema. The message is for the person who starts it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/**
 * Applies missing migrations, in one transaction under the engine's lock: all or nothing, and a second
 * process that starts at the same time waits, then finds nothing to do. A SQLite file with data is copied
 * first, to `backupDir`, which is undefined for PostgreSQL. `warn` gets a sentence if a long transaction of
 * another process delays it.
 */
export async function migrate(
  db: Kysely<Tables>,
  backupDir: string | undefined,
  warn: (message: string) => void,
): Promise<void> {
  const { applied, missing } = await compareSchema(db);
  if (missing.length === 0) return;
  if (backupDir !== undefined && applied.length > 0) await copySqlite(db, backupDir);
  await pastLocks(() => applyMigrations(db), warn);
}

/**
 * How long a migration waits for a lock on PostgreSQL, in milliseconds. Everybody who then writes to the same
 * table waits behind it for as long.
 */
const lockTimeoutMs = 2_000;
/** The pause after that, in which others write. */
const lockPauseMs = 3_000;
/** How often it tries: for five minutes. */
const maxLockTimeouts = 60;
/**
 * How often a migration is tried after deadlocks: writers of other processes, which still run, can cause
 * them, and each attempt lets one of them through.
 */
const maxDeadlocks = 5;

async function pastLocks(act: () => Promise<void>, warn: (message: string) => void): Promise<void> {
  for (let [deadlocks, timeouts] = [0, 0]; ; ) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      if (isDeadlock(error.cause)) {
        deadlocks += 1;
        if (deadlocks === maxDeadlocks) throw error;
      } else if (isLockTimeout(error.cause)) {
        timeouts += 1;
        if (timeouts === maxLockTimeouts) throw error;
        if (timeouts === 1) warn(waitingText);
        await sleep(lockPauseMs);
      } else throw error;
    }
  }
}

const interruptedText =
  'The connection to the database was lost while it was being upgraded. An upgrade is applied as a whole or not at all: ' +
  'once the database can be reached, start again, which completes it where it was not applied.';

const waitingText =
  'The upgrade of the database waits for a long transaction of another process, such as an import. It tries again every ' +
  'few seconds for five minutes; between two attempts the site can write.';

/**
 * Applies missing migrations, up to `last` if given. Within a transaction if `db` is one. Throws
 * {@link SchemaError} for a migration that this program does not know.
 */
export async function applyMigrations(db: Kysely<Tables>, last?: string): Promise<void> {
  if (last !== undefined && !Object.hasOwn(migrations, last)) throw unknownSchema([last]);
  const { engine } = dialectOf(db);
  const provider: MigrationProvider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries(migrations).map(([name, migration]) => [
          name,
          {
            up: async (trx: Kysely<unknown>) => {
              // An index of a large site takes longer than other statements may.
              if (engine === 'postgres') {
                await sql`set local statement_timeout = 0`.execute(trx);
                await sql.raw(`set local lock_timeout = ${lockTimeoutMs}`).execute(trx);
              }
              await migration.up(trx, engine);
              if (migration.endsOlder) await endOlderWriters(trx, name);
            },
          },
        ]),
      ),
  };
  const migrator = new Migrator({
    db,
    provider,
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
  const { error, results } = await (last === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(last));
  if (error === undefined) return;
  // If the answer to the commit was lost, everything has been applied.
  if (isOutage(error)) throw new SchemaError(interruptedText, { cause: error });
  const failed = results?.find(result => result.status === 'Error')?.migrationName ?? 'the first step';
  const reason = error instanceof Error ? error.message : error;
  throw new SchemaError(`Migration ${failed} failed, nothing was changed: ${reason}`, { cause: error });
}

/** Stops running programs that do not know this migration, and keeps them from starting. */
async function endOlderWriters(trx: Kysely<unknown>, name: string): Promise<void> {
  await sql`insert into settings (name, value) values ('least-writer', ${name})
    on conflict (name) do update set value = excluded.value`.execute(trx);
  await sql`insert into changes (kind, key) values ('schema', ${name})`.execute(trx);
}

/** The message for a schema without these migrations that may not be upgraded. */
export function olderSchema(missing: readonly string[]): SchemaError {
  return new SchemaError(
    `The database has an older schema than this version of Coterie (without ${missing.join(', ')}). ` +
      'Run `coterie start` of this version to upgrade it, or use the version that runs the site.',
  );
}

/**
 * The names of the applied and the missing migrations. Throws {@link SchemaError} for a schema that this
 * program does not know.
 */
export async function compareSchema(db: Kysely<Tables>): Promise<{ applied: string[]; missing: string[] }> {
  const applied = await appliedMigrations(db);
  const unknown = applied.filter(name => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) throw unknownSchema(unknown);
  return { applied, missing: Object.keys(migrations).filter(name => !applied.includes(name)) };
}

function unknownSchema(names: readonly string[]): SchemaError {
  return new SchemaError(
    `The data has a newer schema than this version of Coterie knows (${names.join(', ')}). ` +
      'Start the version that last used it, or restore a backup made before the upgrade.',
  );
}

/** The names of the applied migrations; none for an empty database. */
export async function appliedMigrations(db: Kysely<Tables>): Promise<string[]> {
  if (!(await dialectOf(db).hasTable(db, 'migrations'))) return [];
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(db);
  return rows.map(row => row.name);
}

/** Makes a consistent copy of a SQLite database while it is in use. */
async function copySqlite(db: Kysely<Tables>, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `coterie-before-${newestMigration}-${stampOf(Date.now())}.db`);
  const unfinished = `${path}.unfinished`;
  await sql`vacuum into ${unfinished}`.execute(db);
  await rename(unfinished, path);
}
