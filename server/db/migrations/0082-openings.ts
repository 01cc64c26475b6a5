import { type Kysely, sql } from 'kysely';

/** How often each post was opened. No trigger records it: no page for readers shows it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table openings (
    post_id text primary key references posts (id) on delete cascade,
    times integer not null
  )`.execute(db);
}
