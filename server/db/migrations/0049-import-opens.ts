import { type Kysely, sql } from 'kysely';

/** Whether an admin has confirmed that an import may open posts from which its source has taken tags. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table transfers add column is_opening boolean not null default false`.execute(db);
}
