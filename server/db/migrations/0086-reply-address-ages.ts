import { type Kysely, sql } from 'kysely';

/** It ends older programs, whose addresses would have no date and would be removed as old ones. */
export const endsOlder = true;

/** When a mail last named an address for answers; of those that are there, now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table reply_addresses add column mailed_at bigint not null default 0`.execute(db);
  await sql`update reply_addresses set mailed_at = ${Date.now()}`.execute(db);
  await sql`create index reply_addresses_by_age on reply_addresses (mailed_at)`.execute(db);
}
