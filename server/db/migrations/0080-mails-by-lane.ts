import { type Kysely, sql } from 'kysely';

/**
 * The queue of mails, of notifications and of webhooks, each in the order in which it is sent. Without the
 * lane, looking for a notification read every mail of a big announcement.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index mails_by_lane
    on mails (state, (case when webhook_id is not null then 'webhook' when kind = 'push' then 'push'
      else 'mail' end), (kind not in ('confirm', 'reset', 'sign-in')), due_at, id)`.execute(db);
  await sql`drop index mails_by_urgency`.execute(db);
}
