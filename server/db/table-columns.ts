import { type Kysely, sql } from 'kysely';
import { dialectOf } from './dialect.ts';
import type { Tables } from './tables.ts';

export type Row = Record<string, unknown>;

/** The type of a column, whichever the engine. `time`: a moment of an account or a session (`AuthTime`). */
export type Column = { name: string; kind: 'text' | 'number' | 'flag' | 'time' };

const kinds: Readonly<Record<string, Column['kind']>> = {
  text: 'text',
  integer: 'number',
  bigint: 'number',
  boolean: 'flag',
  'timestamp with time zone': 'time',
};

/**
 * The columns of a table, by name; none for a missing table. SQLite stores such times as text, so they are
 * text here. Throws for a type that this program has not used so far.
 */
export async function columnsOf(db: Kysely<Tables>, table: string): Promise<Column[]> {
  const rows =
    dialectOf(db).engine === 'sqlite'
      ? sql<{ name: string; type: string }>`select name, type from pragma_table_info(${table})`
      : sql<{ name: string; type: string }>`select column_name as name, data_type as type
          from information_schema.columns where table_schema = current_schema() and table_name = ${table}`;
  return (await rows.execute(db)).rows
    .map(({ name, type }) => {
      const kind = kinds[type.toLowerCase()];
      if (kind === undefined) throw new Error(`${table}.${name} has the type ${type}, which is not known.`);
      return { name, kind };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** All tables, without those of the engine and of its full-text index. */
export async function listTables(db: Kysely<Tables>): Promise<string[]> {
  const rows =
    dialectOf(db).engine === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_list
          where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite\\_%' escape '\\'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
  return (await rows.execute(db)).rows.map(({ name }) => name).sort();
}
