import { type Kysely, sql } from 'kysely';

/**
 * Files become objects of the storage service: a name that programs use, what a browser needs to know of a picture
 * before it has it, unfinished uploads, and the tokens that programs sign in with.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  // Listings walk paths byte by byte, whatever the language of the database.
  const bytewise = sql.raw(engine === 'sqlite' ? '' : 'collate "C"');
  const statements = [
    sql`alter table files add column path text ${bytewise} not null default ''`,
    sql`update files set path = 'posts/' || id`,
    sql`create unique index files_by_path on files (path)`,
    sql`alter table files add column md5 text`,
    sql`alter table files add column generation bigint not null default 1`,
    sql`alter table files add column metageneration integer not null default 1`,
    sql`alter table files add column updated_at bigint not null default 0`,
    sql`update files set updated_at = created_at`,
    sql`alter table files add column metadata text not null default '{}'`,
    sql`alter table files add column width integer`,
    sql`alter table files add column height integer`,
    sql`alter table files add column placeholder text`,
    sql`alter table files add column variants text`,
    sql`create index files_without_variants on files (created_at) where variants is null`,

    sql`create table upload_sessions (
      id text primary key,
      user_id text not null references users (id) on delete cascade,
      path text not null,
      type text,
      size bigint check (size >= 0),
      metadata text not null,
      file_id text references files (id) on delete cascade,
      touched_at bigint not null
    )`,
    sql`create index upload_sessions_by_user on upload_sessions (user_id)`,
    sql`create index upload_sessions_by_time on upload_sessions (touched_at)`,
    sql`create index upload_sessions_by_file on upload_sessions (file_id)`,

    sql`create table access_tokens (
      id text primary key,
      user_id text not null references users (id) on delete cascade,
      name text not null,
      digest text not null unique,
      created_at bigint not null,
      expires_at bigint
    )`,
    sql`create index access_tokens_by_user on access_tokens (user_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
  if (engine === 'postgres') {
    await sql`create trigger announce_change after insert or update or delete on access_tokens
      for each statement execute function announce_change()`.execute(db);
  }
}
