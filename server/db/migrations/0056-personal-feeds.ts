import { type Kysely, sql } from 'kysely';

/** Feeds of one's own. It ends older programs, which would not end them with a denial or a new password. */
export const endsOlder = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table personal_feeds (
    user_id text primary key references users (id) on delete cascade,
    digest text not null unique,
    created_at bigint not null,
    last_used_at bigint
  )`.execute(db);
}
