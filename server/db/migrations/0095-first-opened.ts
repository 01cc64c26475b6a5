import { type Kysely, sql } from 'kysely';

/**
 * When somebody first opened a post, so that what they open now does not count as seen before. Null for what
 * was opened earlier or is noted by an older program: long ago.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table opened_posts add column first_opened_at bigint`.execute(db);
}
