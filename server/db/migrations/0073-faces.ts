import { type Kysely, sql } from 'kysely';

/** The pictures of people. Triggers record which one an account has: its name is in users.image. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table faces (
    user_id text primary key references users (id) on delete cascade,
    picture text not null
  )`.execute(db);
}
