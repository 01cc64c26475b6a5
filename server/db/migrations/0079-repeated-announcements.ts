import { type Kysely, sql } from 'kysely';

/** An announcement to those alone who could not read the post before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table announcements add column is_repeat boolean not null default false`.execute(db);
}
