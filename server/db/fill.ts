import { type Kysely, sql, type Transaction } from 'kysely';
import { dialectOf } from './dialect.ts';
import type { Column, Row } from './table-columns.ts';
import type { Tables } from './tables.ts';

/** How an empty database takes up rows as they were elsewhere, numbers and sums included. Within one transaction. */
export type Filling = {
  /** `lines` are the rows as JSON objects; they name all `columns` and no others. */
  insert(table: string, columns: readonly Column[], lines: readonly string[]): Promise<void>;
};

/** Runs `fill` without the triggers: what they would write is among the rows. */
export async function withoutTriggers(
  trx: Transaction<Tables>,
  fill: (filling: Filling) => Promise<void>,
): Promise<void> {
  await (dialectOf(trx).engine === 'sqlite' ? fillSqlite(trx, fill) : fillPostgres(trx, fill));
}

async function fillSqlite(trx: Kysely<Tables>, fill: (filling: Filling) => Promise<void>): Promise<void> {
  const { rows: triggers } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master where type = 'trigger' order by rowid`.execute(trx);
  for (const { name } of triggers) await sql`drop trigger ${sql.ref(name)}`.execute(trx);
  await fill({
    insert: async (table, columns, lines) => {
      const names = sql.join(columns.map(({ name }) => sql.ref(name)));
      for (const line of lines) {
        const row = JSON.parse(line) as Row;
        const values = sql.join(columns.map(({ name }) => row[name]));
        await sql`insert into ${sql.table(table)} (${names}) values (${values})`.execute(trx);
      }
    },
  });
  for (const trigger of triggers) await sql.raw(trigger.sql).execute(trx);
}

async function fillPostgres(trx: Kysely<Tables>, fill: (filling: Filling) => Promise<void>): Promise<void> {
  const tables = new Set<string>();
  await fill({
    insert: async (table, columns, lines) => {
      const to = sql.table(table);
      if (!tables.has(table)) await sql`alter table ${to} disable trigger user`.execute(trx);
      tables.add(table);
      const names = sql.join(columns.map(({ name }) => sql.ref(name)));
      await sql`insert into ${to} (${names}) overriding system value
        select ${names} from json_populate_recordset(null::${to}, cast(${`[${lines.join(',')}]`} as json))`.execute(
        trx,
      );
    },
  });
  for (const table of tables) {
    await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
    await sql`analyze ${sql.table(table)}`.execute(trx);
  }
  await setSequences(trx);
}

/** The next number that PostgreSQL gives follows the highest that there is. */
async function setSequences(trx: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(trx);
  for (const { table, column } of rows) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), max(${sql.ref(column)}))
      from ${sql.table(table)} having max(${sql.ref(column)}) is not null`.execute(trx);
  }
}
