import { type Kysely, sql } from 'kysely';

/** Counts who waits without reading the rows of accounts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_waiting on users (status, is_admin, email_verified, created_at)`.execute(db);
}
