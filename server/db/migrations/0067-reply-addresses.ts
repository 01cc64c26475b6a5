import { type Kysely, sql } from 'kysely';

/** The addresses by which people answer by mail: of each only a digest of its secret. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table reply_addresses (
    digest text primary key,
    user_id text not null references users (id) on delete cascade,
    post_id text not null references posts (id) on delete cascade,
    comment_id text
  )`.execute(db);
  await sql`create index reply_addresses_by_user on reply_addresses (user_id)`.execute(db);
  await sql`create index reply_addresses_by_post on reply_addresses (post_id)`.execute(db);
}
