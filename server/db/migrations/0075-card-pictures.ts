import { type Kysely, sql } from 'kysely';

/** Which picture of an essay stands beside its preview. Cached pages follow by the triggers of 0064. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table posts add column card_picture text`.execute(db);
}
