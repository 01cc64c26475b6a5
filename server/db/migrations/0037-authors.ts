import { type Kysely, sql } from 'kysely';

/** Members who write posts of their own. Posts know their author since 0001; their lists are read by date of creation. */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const no = sql.raw(engine === 'sqlite' ? '0' : 'false');
  await sql`alter table users add column is_author boolean not null default ${no}`.execute(db);
  await sql`create index posts_by_author_created on posts (author_id, created_at, id)`.execute(db);
}
