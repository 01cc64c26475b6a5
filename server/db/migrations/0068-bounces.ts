import { type Kysely, sql } from 'kysely';

/** How often mails to the address of an account came back for good. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table bounces (
    user_id text primary key references users (id) on delete cascade,
    address text not null,
    count integer not null,
    reason text not null,
    last_at bigint not null
  )`.execute(db);
}
