import { type Kysely, sql } from 'kysely';

/** How often the sizes of a picture were begun: one that takes the process down with it is given up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table files add column variants_attempts integer not null default 0`.execute(db);
}
