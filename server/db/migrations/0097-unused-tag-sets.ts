import { type Kysely, sql } from 'kysely';

/** Deletes the combinations of tags that no post has, and finds from now on whether one has any. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index posts_of_tag_set on posts (tag_set_id)`.execute(db);
  await sql`delete from tag_sets where not exists (select 1 from posts where posts.tag_set_id = tag_sets.id)`.execute(
    db,
  );
}
