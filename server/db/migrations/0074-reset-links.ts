import { type Kysely, sql } from 'kysely';

/** It ends older programs, which delete from the table. */
export const endsOlder = true;

/** Links that set a new password are rows of `email_links` now. Those under way were good for an hour. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop table verifications`.execute(db);
}
