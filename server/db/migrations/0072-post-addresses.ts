import { type Kysely, sql } from 'kysely';

/** Addresses for posts by mail. It ends older programs, which would not end them with a new password. */
export const endsOlder = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table post_addresses (
    user_id text primary key references users (id) on delete cascade,
    digest text not null unique,
    publishes boolean not null,
    created_at bigint not null
  )`.execute(db);
}
