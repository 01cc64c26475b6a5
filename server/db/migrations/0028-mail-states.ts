import { type Kysely, sql } from 'kysely';

/** There is no state between 'queued' and 'sent' any more; a mail in it had been given to the server. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update mails set state = 'sent', data = '{}', done_at = coalesce(leased_until, created_at), lease = null, leased_until = null
    where state = 'handed'
  `.execute(db);
}
