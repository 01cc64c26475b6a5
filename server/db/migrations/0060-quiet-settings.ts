import { type Kysely, sql } from 'kysely';

/**
 * Rows of settings that no cached page shows are not recorded as changes: pictures of the site, which another
 * row refers to, the state of backups, and the first steps. Each of them emptied the caches of posts.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  // The numbers are the indexes of these triggers in the array of 0041-first-release.
  for (const [act, number] of [
    ['insert', 41],
    ['update', 42],
    ['delete', 43],
  ] as const) {
    const name = `record_change_${number}`;
    const row = act === 'delete' ? 'old' : 'new';
    const when = `when (${row}.name not like 'picture:%'
      and ${row}.name not in ('backup', 'backup-wanted', 'left-out-steps'))`;
    if (engine === 'sqlite') {
      await sql.raw(`drop trigger ${name}`).execute(db);
      await sql
        .raw(
          `create trigger ${name} after ${act} on settings ${when}
          begin insert into changes (kind, key) select 'settings', ''; end`,
        )
        .execute(db);
    } else {
      await sql.raw(`drop trigger ${name} on settings`).execute(db);
      await sql
        .raw(
          `create trigger ${name} after ${act} on settings for each row ${when} execute function ${name}()`,
        )
        .execute(db);
    }
  }
}
