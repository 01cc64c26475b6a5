import { type Kysely, sql } from 'kysely';

/**
 * PostgreSQL lists the words of saved posts before it sorts them into the index for search, and each search
 * reads the whole list for each word. At most so many kilobytes of it: about eight essays.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'sqlite') return;
  await sql`alter index post_search_tokens set (gin_pending_list_limit = 64)`.execute(db);
}
