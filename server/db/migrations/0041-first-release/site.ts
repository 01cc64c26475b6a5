import { sql } from 'kysely';

/** The site's settings, and its work in the background. */
export const site = [
  sql`create table settings (
    name text primary key,
    value text not null
  )`,

  // Attempts for rate limits that hold across processes, under a digest of what was tried.
  sql`create table attempts (
    name text primary key,
    points integer not null,
    expires_at bigint not null
  )`,
  sql`create index attempts_by_expiry on attempts (expires_at)`,

  sql`create table leases (name text primary key, until bigint not null)`,

  // Has no foreign keys: what was deleted here must not return with the next import.
  sql`create table imported (
    source text primary key,
    kind text not null check (kind in ('post', 'person', 'comment', 'like', 'tag', 'settings')),
    target_id text not null,
    digest text not null default '',
    version integer
  )`,

  sql`create table transfers (
    id text primary key,
    kind text not null,
    what text not null,
    state text not null,
    is_dry_run boolean not null,
    files text not null,
    done bigint not null default 0,
    total bigint,
    report text,
    made text,
    made_key text,
    error text,
    user_id text references users (id) on delete set null,
    created_at bigint not null,
    began_at bigint,
    ended_at bigint,
    attempts integer not null default 0,
    lease text,
    leased_until bigint
  )`,
  // Only one is open at a time.
  sql`create unique index transfers_open
    on transfers ((case when state in ('waiting', 'running', 'checked') then 1 end))`,
  sql`create index transfers_by_time on transfers (created_at, id)`,
  sql`create index transfers_by_user on transfers (user_id)`,
];
