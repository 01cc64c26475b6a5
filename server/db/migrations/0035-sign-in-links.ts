import { type Kysely, sql } from 'kysely';

/** Links in mails also sign in. Those that are there confirm an address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table email_links add column purpose text not null default 'confirm'`.execute(db);
}
