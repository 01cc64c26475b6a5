import { type Kysely, sql } from 'kysely';

/**
 * The end or renewal of a personal feed is recorded as a change of its account, so that a running download by
 * one of its addresses is asked for its right again.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (const [name, act] of [
    ['record_personal_feeds_delete', 'delete'],
    ['record_personal_feeds_update', 'update of digest'],
  ] as const) {
    const record = "insert into changes (kind, key) values ('viewer', old.user_id);";
    if (engine === 'postgres') {
      const body = `begin ${record} return null; end`;
      await sql
        .raw(`create function ${name}() returns trigger language plpgsql as $$ ${body} $$`)
        .execute(db);
    }
    const does = engine === 'sqlite' ? `begin ${record} end` : `for each row execute function ${name}()`;
    await sql.raw(`create trigger ${name} after ${act} on personal_feeds ${does}`).execute(db);
  }
}
