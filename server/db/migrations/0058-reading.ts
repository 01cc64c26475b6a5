import { type Kysely, sql } from 'kysely';

/**
 * What readers have chosen about reading, and when each of them has last opened a post. Both are for
 * themselves alone, and recorded under their account, so that their cached pages follow.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`create table reading_settings (
    user_id text primary key references users (id) on delete cascade,
    shows_past boolean not null,
    keeps_opened boolean not null
  )`.execute(db);
  await sql`create table opened_posts (
    user_id text not null references users (id) on delete cascade,
    post_id text not null references posts (id) on delete cascade,
    opened_at bigint not null,
    primary key (user_id, post_id)
  )`.execute(db);
  await sql`create index opened_posts_by_post on opened_posts (post_id)`.execute(db);
  for (const table of ['reading_settings', 'opened_posts']) {
    for (const act of ['insert', 'update', 'delete']) {
      const row = act === 'delete' ? 'old' : 'new';
      const record = `insert into changes (kind, key) values ('reading', ${row}.user_id);`;
      await createTrigger(db, engine, {
        name: `record_${table}_${act}`,
        on: `after ${act} on ${table}`,
        record,
      });
    }
  }
}

async function createTrigger(
  db: Kysely<unknown>,
  engine: 'sqlite' | 'postgres',
  { name, on, record }: { name: string; on: string; record: string },
): Promise<void> {
  if (engine === 'sqlite') {
    await sql.raw(`create trigger ${name} ${on} begin ${record} end`).execute(db);
    return;
  }
  await sql
    .raw(
      `create function ${name}() returns trigger language plpgsql as $$ begin ${record} return null; end $$`,
    )
    .execute(db);
  await sql.raw(`create trigger ${name} ${on} for each row execute function ${name}()`).execute(db);
}
