import { type Kysely, sql } from 'kysely';

/** The admins' list of those who wait is walked by sign-up, the longest wait first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_by_waiting on users (status, created_at, id)`.execute(db);
}
