import { type Kysely, sql } from 'kysely';

/** What an admin has chosen before an import began, as JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table transfers add column choices text`.execute(db);
}
