import { type Kysely, sql } from 'kysely';

/**
 * Comments and names of tags are limited by the program, which counts characters as people do. The limits of
 * the tables counted code points, of which a syllable of Hindi or an emoji may have several.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (const [table, column] of [
    ['comments', 'content'],
    ['tags', 'name'],
  ] as const) {
    if (engine === 'sqlite') await copyWithoutCheck(db, table, column);
    else await sql.raw(`alter table ${table} drop constraint ${table}_${column}_check`).execute(db);
  }
}

/** SQLite drops the check of a column only together with the column. */
async function copyWithoutCheck(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  // The copy is no change that readers see.
  const { rows: triggers } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
    where type = 'trigger' and tbl_name = ${table} and sql like '%after update%'`.execute(db);
  for (const statement of [
    ...triggers.map(({ name }) => `drop trigger ${name}`),
    `alter table ${table} add column unchecked text not null default ''`,
    `update ${table} set unchecked = ${column}`,
    `alter table ${table} drop column ${column}`,
    `alter table ${table} rename column unchecked to ${column}`,
    ...triggers.map(trigger => trigger.sql),
  ])
    await sql.raw(statement).execute(db);
}
