import { type Kysely, sql } from 'kysely';

/** The tags of which subscribers want no posts by mail. It ends older programs, which would send these. */
export const endsOlder = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table unwanted_tags (
    user_id text not null references users (id) on delete cascade,
    tag_id text not null references tags (id) on delete cascade,
    primary key (user_id, tag_id)
  )`.execute(db);
  await sql`create index unwanted_tags_by_tag on unwanted_tags (tag_id)`.execute(db);
}
