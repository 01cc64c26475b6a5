import { type Kysely, sql } from 'kysely';

/**
 * The queue of mails in the order in which they are sent: those that somebody waits for at the screen first.
 * SQLite never used the index before this one, whose condition it cannot prove for a parameter, and sorted
 * the whole queue for each twenty mails.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index mails_by_urgency
    on mails (state, (kind not in ('confirm', 'reset', 'sign-in')), due_at, id)`.execute(db);
  await sql`drop index mails_due`.execute(db);
}
