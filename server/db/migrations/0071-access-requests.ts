import { type Kysely, sql } from 'kysely';

/** What members have asked to read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table access_requests (
    post_id text not null references posts (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    word text not null,
    created_at bigint not null,
    primary key (post_id, user_id)
  )`.execute(db);
  await sql`create index access_requests_by_user on access_requests (user_id)`.execute(db);
  await sql`create index access_requests_by_time on access_requests (created_at, user_id)`.execute(db);
}
