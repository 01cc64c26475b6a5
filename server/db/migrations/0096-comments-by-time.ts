import { type Kysely, sql } from 'kysely';

/** Finds the newest comments of the whole site without reading the others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index comments_by_time on comments (created_at desc, id desc)`.execute(db);
}
