import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import { dialectOf } from './dialect.ts';
import type { Column, Row } from './table-columns.ts';
import type { Tables } from './tables.ts';

/**
 * Writes rows of another database to tables unchanged, generated numbers and sums included. Within one
 * transaction.
 */
export type Filling = {
  /** `lines` are the rows as JSON objects; they name all `columns` and no others. */
  insert(table: string, columns: readonly Column[], lines: readonly string[]): Promise<void>;
};

/**
 * Runs `fill`, which writes many rows to these tables, with their triggers off, because the rows that
 * triggers would write are among them. Indexes are built and foreign keys checked afterwards for all rows
 * together, because both take far longer row by row. Throws for rows that violate the schema.
 */
export async function fillInBulk(
  trx: Transaction<Tables>,
  tables: readonly string[],
  fill: (filling: Filling) => Promise<void>,
): Promise<void> {
  await (dialectOf(trx).engine === 'sqlite' ? fillSqlite : fillPostgres)(trx, tables, fill);
}

const mostParameters = 32_766;
const rowsInStatement = 50;

async function fillSqlite(
  trx: Kysely<Tables>,
  tables: readonly string[],
  fill: (filling: Filling) => Promise<void>,
): Promise<void> {
  const { rows } = await sql<{ type: string; name: string; table: string; sql: string }>`
    select type, name, tbl_name as "table", sql from sqlite_master as made
    where type in ('index', 'trigger') and sql is not null and not exists (
      select 1 from pragma_foreign_key_list(made.tbl_name) as reference
      join pragma_index_info(made.name) as part on part.name = reference."from" and part.seqno = 0
      where reference."table" = made.tbl_name
    ) order by rowid`.execute(trx);
  const dropped = rows.filter(({ table }) => tables.includes(table));
  for (const { type, name } of dropped) await sql`drop ${sql.raw(type)} ${sql.ref(name)}`.execute(trx);
  // A row may precede one of its own table that it refers to. While such rows wait, SQLite looks for them at
  // each insert: by the indexes of references within a table, which are therefore not dropped.
  await sql`pragma defer_foreign_keys = on`.execute(trx);
  await fill({
    insert: async (table, columns, lines) => {
      const most = Math.min(rowsInStatement, Math.floor(mostParameters / columns.length));
      for (let at = 0; at < lines.length; at += most) {
        const some = lines.slice(at, at + most).map(line => JSON.parse(line) as Row);
        const values = some.flatMap(row => columns.map(({ name }) => row[name]));
        await trx.executeQuery(CompiledQuery.raw(insertInto(table, columns, some.length), values));
      }
    },
  });
  for (const { sql: statement } of dropped) await sql.raw(statement).execute(trx);
  for (const table of tables) await requireReferences(trx, table);
  // This also discards earlier violations, so it comes after the check.
  await sql`pragma defer_foreign_keys = off`.execute(trx);
}

/** Throws if a row refers to a missing one. */
async function requireReferences(trx: Kysely<Tables>, table: string): Promise<void> {
  const { rows } = await sql<{ parent: string }>`
    select "parent" from pragma_foreign_key_check(${table}) limit 1`.execute(trx);
  const [broken] = rows;
  if (broken !== undefined)
    throw new Error(`a row of ${table} refers to a row of ${broken.parent} that is not there`);
}

/** The same text for the same number of rows, so that SQLite prepares it once. */
function insertInto(table: string, columns: readonly Column[], rows: number): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `insert into "${table}" (${names}) values ${Array.from({ length: rows }, () => row).join(', ')}`;
}

async function fillPostgres(
  trx: Kysely<Tables>,
  tables: readonly string[],
  fill: (filling: Filling) => Promise<void>,
): Promise<void> {
  for (const table of tables) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
  const references = await referencesOf(trx, tables);
  const indexes = await indexesOf(trx, tables);
  for (const { table, name } of references)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(trx);
  for (const { name } of indexes) await sql`drop index ${sql.ref(name)}`.execute(trx);
  await fill({
    insert: async (table, columns, lines) => {
      const to = sql.table(table);
      const names = sql.join(columns.map(({ name }) => sql.ref(name)));
      await sql`insert into ${to} (${names}) overriding system value
        select ${names} from json_populate_recordset(null::${to}, cast(${`[${lines.join(',')}]`} as json))`.execute(
        trx,
      );
    },
  });
  for (const { definition } of indexes) await sql.raw(definition).execute(trx);
  for (const table of tables) {
    await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
    await sql`analyze ${sql.table(table)}`.execute(trx);
  }
  for (const { table, name, definition } of references)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
      trx,
    );
  await setSequences(trx);
}

/** The foreign keys of these tables. */
async function referencesOf(trx: Kysely<Tables>, tables: readonly string[]) {
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and relnamespace = current_schema()::regnamespace and relname = any(${tables})`.execute(
    trx,
  );
  return rows;
}

/** The indexes of these tables, without those that belong to a constraint. */
async function indexesOf(trx: Kysely<Tables>, tables: readonly string[]) {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = current_schema() and tablename = any(${tables})
      and not exists (select 1 from pg_constraint where connamespace = current_schema()::regnamespace and conname = indexname)`.execute(
    trx,
  );
  return rows;
}

/** Sets each sequence so that the next generated number follows the highest that exists. */
async function setSequences(trx: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(trx);
  for (const { table, column } of rows) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), max(${sql.ref(column)}))
      from ${sql.table(table)} having max(${sql.ref(column)}) is not null`.execute(trx);
  }
}
