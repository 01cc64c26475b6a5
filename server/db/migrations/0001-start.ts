import { type Kysely, sql } from 'kysely';

/**
 * The first shape. `time` and `flag` are the two column types that the engines spell differently; better-auth writes
 * dates as ISO text to SQLite and as timestamptz to PostgreSQL.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const authTime = sql.raw(engine === 'sqlite' ? 'text' : 'timestamptz');
  const no = sql.raw(engine === 'sqlite' ? '0' : 'false');
  const yes = sql.raw(engine === 'sqlite' ? '1' : 'true');
  const serial = sql.raw(
    engine === 'sqlite'
      ? 'integer primary key autoincrement'
      : 'integer primary key generated always as identity',
  );

  const statements = [
    sql`create table users (
      id text primary key,
      name text not null,
      email text not null,
      email_verified boolean not null default ${no},
      image text,
      created_at ${authTime} not null,
      updated_at ${authTime} not null,
      username text not null unique check (username = lower(username)),
      display_username text not null,
      is_admin boolean not null default ${no},
      status text not null default 'pending' check (status in ('pending', 'approved', 'denied')),
      approved_at bigint,
      denied_at bigint,
      check (is_admin = ${no} or status = 'approved'),
      check (status <> 'approved' or approved_at is not null),
      check (status <> 'denied' or denied_at is not null)
    )`,
    sql`create unique index users_email on users (lower(email))`,
    sql`create index users_by_status on users (status, username)`,

    sql`create table sessions (
      id text primary key,
      token text not null unique,
      user_id text not null references users (id) on delete cascade,
      expires_at ${authTime} not null,
      ip_address text,
      user_agent text,
      created_at ${authTime} not null,
      updated_at ${authTime} not null
    )`,
    sql`create index sessions_by_user on sessions (user_id)`,

    sql`create table accounts (
      id text primary key,
      account_id text not null,
      provider_id text not null,
      user_id text not null references users (id) on delete cascade,
      access_token text,
      refresh_token text,
      id_token text,
      access_token_expires_at ${authTime},
      refresh_token_expires_at ${authTime},
      scope text,
      password text,
      created_at ${authTime} not null,
      updated_at ${authTime} not null,
      unique (provider_id, account_id)
    )`,
    sql`create index accounts_by_user on accounts (user_id)`,

    sql`create table verifications (
      id text primary key,
      identifier text not null,
      value text not null,
      expires_at ${authTime} not null,
      created_at ${authTime} not null,
      updated_at ${authTime} not null
    )`,
    sql`create index verifications_by_identifier on verifications (identifier)`,

    sql`create table tags (
      id text primary key,
      name text not null check (length(name) between 1 and 50),
      key text not null unique,
      is_listed boolean not null default ${yes}
    )`,
    sql`create table default_tags (
      tag_id text primary key references tags (id) on delete cascade
    )`,
    sql`create table approved_tags (
      user_id text not null references users (id) on delete cascade,
      tag_id text not null references tags (id) on delete cascade,
      primary key (user_id, tag_id)
    )`,
    sql`create index approved_tags_by_tag on approved_tags (tag_id)`,

    // A tag that a post carries cannot be removed from under it: deleting a tag unlists it (decisions.md 5).
    sql`create table tag_sets (
      id ${serial},
      key text not null unique,
      published_count integer not null default 0 check (published_count >= 0)
    )`,
    sql`create table tag_set_tags (
      tag_set_id integer not null references tag_sets (id) on delete cascade,
      tag_id text not null references tags (id) on delete restrict,
      primary key (tag_set_id, tag_id)
    )`,
    sql`create index tag_set_tags_by_tag on tag_set_tags (tag_id)`,

    sql`create table posts (
      id text primary key,
      type text not null check (type in ('short', 'essay')),
      title text,
      description text,
      tag_set_id integer not null references tag_sets (id) on delete restrict,
      author_id text references users (id) on delete set null,
      published_at bigint,
      created_at bigint not null,
      updated_at bigint,
      like_count integer not null default 0 check (like_count >= 0),
      comment_count integer not null default 0 check (comment_count >= 0),
      version integer not null default 1,
      content text not null,
      html text not null,
      text text not null,
      check ((type = 'essay') = (title is not null)),
      check ((type = 'essay') = (description is not null))
    )`,
    // The timeline walks the first; a viewer who may read little of a large site is served from the second.
    sql`create index posts_timeline on posts (published_at desc, id desc, tag_set_id) where published_at is not null`,
    sql`create index posts_by_tag_set on posts (tag_set_id, published_at desc, id desc) where published_at is not null`,
    sql`create index posts_by_creation on posts (created_at desc, id desc)`,
    sql`create index posts_by_author on posts (author_id)`,

    sql`create table attachments (
      id text primary key,
      post_id text not null references posts (id) on delete cascade,
      position integer not null check (position >= 0),
      name text not null,
      url text not null,
      type text not null,
      size bigint not null check (size >= 0),
      description text,
      thumbnail text,
      unique (post_id, position)
    )`,

    sql`create table likes (
      post_id text not null references posts (id) on delete cascade,
      user_id text not null references users (id) on delete cascade,
      created_at bigint not null,
      primary key (post_id, user_id)
    )`,
    sql`create index likes_by_user on likes (user_id, created_at desc, post_id)`,

    sql`create table comments (
      id text primary key,
      post_id text not null references posts (id) on delete cascade,
      user_id text references users (id) on delete set null,
      content text not null check (length(content) between 1 and 5000),
      created_at bigint not null
    )`,
    sql`create index comments_by_post on comments (post_id, created_at desc, id desc)`,
    sql`create index comments_by_user on comments (user_id, created_at desc, id desc)`,

    sql`create table subscriptions (
      user_id text primary key references users (id) on delete cascade,
      email text not null,
      created_at bigint not null
    )`,

    sql`create table settings (
      name text primary key,
      value text not null
    )`,

    sql`create table imported_posts (
      source text primary key,
      post_id text not null unique references posts (id) on delete cascade,
      digest text not null
    )`,
  ];
  for (const statement of statements) await statement.execute(db);
  if (engine === 'postgres') await announceChanges(db);
}

/** Tables whose content a process may hold in a cache: PostgreSQL tells every process when one is written to. */
const announced = [
  'users',
  'sessions',
  'tags',
  'default_tags',
  'approved_tags',
  'tag_sets',
  'tag_set_tags',
  'posts',
  'attachments',
  'likes',
  'comments',
  'settings',
];

async function announceChanges(db: Kysely<unknown>): Promise<void> {
  await sql`create function announce_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('coterie_changes', tg_table_name);
      return null;
    end
  $$`.execute(db);
  for (const table of announced) {
    await sql`create trigger announce_change after insert or update or delete on ${sql.table(table)}
      for each statement execute function announce_change()`.execute(db);
  }
}
