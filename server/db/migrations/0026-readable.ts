import { type Kysely, sql } from 'kysely';

/**
 * What readers may have of a post's Markdown. Posts that are there get it with their next save; until then it is worked
 * out when somebody asks for it, because a migration does not know the program that renders.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table posts add column readable text`.execute(db);
}
