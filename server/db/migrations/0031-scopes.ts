import { type Kysely, sql } from 'kysely';

/**
 * What an access token may do, and from where it was used last. Tokens that are there keep what they could do with posts
 * and files; none of them ever decided about accounts. A session knows when its password was given once more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table access_tokens add column scopes text not null default 'read write files'`.execute(db);
  await sql`alter table access_tokens add column last_used_from text`.execute(db);
  await sql`alter table sessions add column password_given_at bigint`.execute(db);
}
