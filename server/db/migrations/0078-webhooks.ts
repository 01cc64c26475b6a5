import { type Kysely, sql } from 'kysely';

/** Addresses elsewhere that are told of events, by rows of the queue of mails. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table webhooks (
    id text primary key,
    name text not null,
    format text not null,
    url text not null,
    token text not null,
    events text not null,
    created_at bigint not null
  )`.execute(db);
  await sql`alter table mails add column webhook_id text references webhooks (id) on delete cascade`.execute(
    db,
  );
  await sql`create index mails_by_webhook on mails (webhook_id, created_at) where webhook_id is not null`.execute(
    db,
  );
}
