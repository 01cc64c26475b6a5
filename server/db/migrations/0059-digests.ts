import { type Kysely, sql } from 'kysely';

/**
 * How often subscribers hear of new posts, and whether a mail holds the whole text. It ends older programs,
 * which would tell each of them of each post at once.
 */
export const endsOlder = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table subscriptions add column rhythm text not null default 'at-once'`.execute(db);
  await sql`alter table subscriptions add column digest_hour integer not null default 8`.execute(db);
  await sql`alter table subscriptions add column digest_at bigint not null default 0`.execute(db);
  await sql`alter table subscriptions add column is_whole boolean not null default false`.execute(db);
  await sql`create index subscriptions_by_digest on subscriptions (rhythm, digest_hour, digest_at)
    where rhythm <> 'at-once'`.execute(db);
  await sql`create index announcements_by_time on announcements (created_at, post_id)`.execute(db);
}
