import { type Kysely, sql } from 'kysely';

/**
 * Whether an import made an account or a tag is asked at sign-ins and sign-ups, and a large import leaves a
 * row for each post, comment and like. Only imports write this table, so nobody else waits for the index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index imported_by_target on imported (kind, target_id)`.execute(db);
}
