import { type Kysely, sql } from 'kysely';

/**
 * Mail and limits. `announcements` says which posts subscribers are to hear of, one row a post, written by the
 * transaction that publishes; the mail worker makes a row of `mails` for each subscriber from it. `once` is what makes
 * a mail the same mail: it can be queued again and again and exists once. `attempts` counts tries that must hold across
 * processes, under a digest of what was tried.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create table announcements (
      post_id text primary key references posts (id) on delete cascade,
      created_at bigint not null,
      last_user_id text not null default '',
      expanded_at bigint
    )`,
    sql`create index announcements_open on announcements (created_at) where expanded_at is null`,
    sql`create table mails (
      id text primary key,
      once text not null unique,
      kind text not null,
      user_id text references users (id) on delete cascade,
      post_id text references posts (id) on delete cascade,
      data text not null,
      state text not null check (state in ('queued', 'handed', 'sent', 'dropped', 'failed')),
      attempts integer not null default 0,
      due_at bigint not null,
      lease text,
      leased_until bigint,
      created_at bigint not null,
      done_at bigint,
      error text
    )`,
    sql`create index mails_due on mails (due_at, id) where state in ('queued', 'handed')`,
    sql`create index mails_by_state on mails (state, done_at)`,
    sql`create index mails_by_user on mails (user_id)`,
    sql`create index mails_by_post on mails (post_id)`,
    sql`create table attempts (
      name text primary key,
      points integer not null,
      expires_at bigint not null
    )`,
    sql`create index attempts_by_expiry on attempts (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
