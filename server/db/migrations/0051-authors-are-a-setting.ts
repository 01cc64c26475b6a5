import { type Kysely, sql } from 'kysely';

/**
 * Whether posts name their authors is a setting: true where somebody besides the first admin has published.
 * The index and the trigger told it of each combination of tags.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`insert into settings (name, value) select 'names-authors', 'true' where exists (
    select 1 from posts where published_at is not null
    and author_id <> (select id from users where is_admin order by created_at, id limit 1)
  )`.execute(db);
  await sql`drop index posts_by_tag_set_author`.execute(db);
  await sql.raw(`drop trigger record_author${engine === 'postgres' ? ' on posts' : ''}`).execute(db);
  if (engine === 'postgres') await sql`drop function record_author()`.execute(db);
}
