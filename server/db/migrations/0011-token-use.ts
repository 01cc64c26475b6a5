import { type Kysely, sql } from 'kysely';

/** When a personal access token was last used, to the hour: its owner sees which ones nobody needs any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table access_tokens add column last_used_at bigint`.execute(db);
}
