import { sql } from 'kysely';

/**
 * Who gets mails about new posts, and the queue of mails. The transaction that publishes a post writes a row
 * of `announcements`; the mail worker makes a row of `mails` for each subscriber from it. `once` identifies a
 * mail: it can be queued repeatedly and exists once.
 */
export const mail = [
  sql`create table subscriptions (
    user_id text primary key references users (id) on delete cascade,
    email text not null,
    created_at bigint not null
  )`,

  sql`create table announcements (
    post_id text primary key references posts (id) on delete cascade,
    created_at bigint not null,
    last_user_id text not null default '',
    expanded_at bigint
  )`,
  sql`create index announcements_open on announcements (created_at) where expanded_at is null`,

  // No mail has the state 'handed' any more. The word stays, so that databases from before the first release
  // have the same schema.
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
];
