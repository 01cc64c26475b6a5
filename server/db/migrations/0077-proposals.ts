import { type Kysely, sql } from 'kysely';

/** People whom members would like to be invited. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table proposals (
    user_id text not null references users (id) on delete cascade,
    email text not null,
    name text not null,
    word text not null,
    created_at bigint not null,
    primary key (user_id, email)
  )`.execute(db);
  await sql`create index proposals_by_email on proposals (email)`.execute(db);
  await sql`create index proposals_by_time on proposals (created_at, user_id, email)`.execute(db);
}
