import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type DatabaseLocation, openBare } from './connect.ts';
import { explained, untilUnlocked } from './sqlite-errors.ts';
import { type Column, columnsOf, type Row } from './table-columns.ts';
import type { Tables } from './tables.ts';

/** All tables as they were at one moment, while others continue to write. */
export type Snapshot = {
  columns(table: string): Promise<Column[]>;
  /** The rows of a table in the order of these columns, byte by byte; only a few are in memory at a time. */
  rows(table: string, order: readonly string[]): AsyncGenerator<Row[]>;
};

/** Rows in memory at a time: a post can have half a megabyte. */
const rowsAtOnce = 100;

/**
 * Lets `read` see the database as it is now, however long it takes. Meanwhile SQLite's write-ahead log grows,
 * and PostgreSQL cannot remove deleted rows.
 */
export async function withSnapshot<T>(
  location: DatabaseLocation,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  await using db = openBare(location);
  if (location.databaseUrl === undefined) return await withSqliteSnapshot(db, location.dataDir, read);
  return await withPostgresSnapshot(db, read);
}

async function withPostgresSnapshot<T>(
  db: Kysely<Tables>,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return await transaction.execute(async trx => {
    // Sorting a large table may take longer than other statements may.
    await sql`set local statement_timeout = 0`.execute(trx);
    return await read({
      columns: async table => await columnsOf(trx, table),
      rows: (table, order) => postgresRows(trx, table, order),
    });
  });
}

/** Sorts by bytes, as SQLite does, so that equal sites have equal archives on both engines. */
async function* postgresRows(
  trx: Transaction<Tables>,
  table: string,
  order: readonly string[],
): AsyncGenerator<Row[]> {
  const columns = await columnsOf(trx, table);
  const by = order.map(name =>
    columns.some(column => column.name === name && column.kind === 'text')
      ? sql`${sql.ref(name)} collate "C"`
      : sql.ref(name),
  );
  await sql`declare archived cursor for select * from ${sql.table(table)} order by ${sql.join(by)}`.execute(
    trx,
  );
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(rowsAtOnce)} from archived`.execute(trx);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close archived`.execute(trx);
}

/** Uses a handle of its own: the one that the site reads with must keep seeing new writes. */
async function withSqliteSnapshot<T>(
  db: Kysely<Tables>,
  dataDir: string,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const handle = new DatabaseSync(join(dataDir, 'coterie.db'), { readOnly: true, timeout: 0 });
  try {
    // The first read of a transaction fixes its snapshot.
    await untilUnlocked(() => handle.exec('begin; select count(*) from migrations'));
    return await read({
      columns: async table => await columnsOf(db, table),
      rows: async function* (table, order) {
        const names = order.map(name => `"${name}"`).join(', ');
        let rows: Row[] = [];
        for (const row of handle.prepare(`select * from "${table}" order by ${names}`).iterate()) {
          rows.push(row);
          if (rows.length < rowsAtOnce) continue;
          yield rows;
          rows = [];
        }
        if (rows.length > 0) yield rows;
      },
    });
  } catch (error) {
    throw explained(error);
  } finally {
    handle.close();
  }
}
