import { type Kysely, sql } from 'kysely';

/**
 * When a post that is announced again was first announced: its comments close by that day. Older programs
 * leave it as it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table announcements add column first_at bigint`.execute(db);
}
