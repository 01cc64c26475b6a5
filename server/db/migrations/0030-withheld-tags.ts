import { type Kysely, sql } from 'kysely';

/** Tags that an admin has taken from an account: no OpenID provider gives them back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table withheld_tags (
    user_id text not null references users (id) on delete cascade,
    tag_id text not null references tags (id) on delete cascade,
    primary key (user_id, tag_id)
  )`.execute(db);
}
