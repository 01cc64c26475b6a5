import { type Kysely, sql } from 'kysely';

/**
 * PostgreSQL takes looking through all posts for cheaper than the index of words: it does not count that the words of long
 * posts lie outside their rows. A search for a rare word then read those of 100,000 posts, for half a second. Within this
 * function it has no such choice. The posts that hold all words of a query, `most` of them at most.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'sqlite') return;
  await sql`create function posts_with_words(query tsquery, most integer) returns setof text
    language sql stable set enable_seqscan = off
    as $$ select post_id from post_search where words @@ query limit most $$`.execute(db);
}
