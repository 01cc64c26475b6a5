import { type Kysely, sql } from 'kysely';

/** What people hear of by mail. It ends older programs, which know no mail about a comment. */
export const endsOlder = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table mail_wishes (
    user_id text not null references users (id) on delete cascade,
    kind text not null,
    is_on boolean not null,
    primary key (user_id, kind)
  )`.execute(db);
  // Who wants to hear of comments on what they have commented is asked with each comment.
  await sql`create index mail_wishes_by_kind on mail_wishes (kind, user_id)`.execute(db);
}
