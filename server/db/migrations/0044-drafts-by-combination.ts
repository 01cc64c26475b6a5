import { type Kysely, sql } from 'kysely';

/**
 * The list of tags says how many drafts carry each. The index of drafts holds their combinations of tags as
 * well, so that this reads the index alone: 10,000 drafts lie in as many places of a large table. Its last
 * column is null in every row: without it SQLite would read the posts to see that they are drafts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index posts_drafts_by_creation on posts (created_at desc, id desc, tag_set_id, published_at)
    where published_at is null`.execute(db);
  // The former index of drafts, `posts_drafts`, stays for now: dropping it on PostgreSQL waits for all who
  // read posts, such as a backup, and each attempt would make this one anew.
}
