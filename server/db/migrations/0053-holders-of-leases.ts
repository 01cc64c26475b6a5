import { type Kysely, sql } from 'kysely';

/** Who holds a lease, so that nobody renews or ends one that another process has taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table leases add column holder text`.execute(db);
}
