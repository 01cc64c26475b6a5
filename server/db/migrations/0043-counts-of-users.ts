import { type Kysely, sql } from 'kysely';

/** Admins are few among many accounts. What else this made was never released: 0052 removes it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_admins on users (username, id) where is_admin`.execute(db);
}
