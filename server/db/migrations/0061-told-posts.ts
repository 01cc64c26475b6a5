import { type Kysely, sql } from 'kysely';

/**
 * Who was told of which post by mail, kept for longer than the mails. It ends older programs, which would not
 * note whom they tell.
 */
export const endsOlder = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table told_posts (
    post_id text not null references posts (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    primary key (post_id, user_id)
  )`.execute(db);
  await sql`create index told_posts_by_user on told_posts (user_id)`.execute(db);
  await sql`insert into told_posts (post_id, user_id) select distinct post_id, user_id from mails
    where kind = 'post' and state = 'sent' and post_id is not null and user_id is not null
      and exists (select 1 from posts where posts.id = mails.post_id)`.execute(db);
}
