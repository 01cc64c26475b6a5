import { type Kysely, sql } from 'kysely';
import type { Spelling } from './spelling.ts';

/**
 * Files, and unfinished uploads. Their bytes are in the store of files: those of a file under its id, those
 * of a part of an upload under its key. The posts with a file decide who may read it.
 */
export const files = ({ bytewise }: Spelling) => [
  sql`create table files (
    id text primary key,
    path ${bytewise} not null default '',
    name text not null,
    type text not null,
    size bigint not null check (size >= 0),
    digest text not null,
    md5 text,
    generation bigint not null default 1,
    metageneration integer not null default 1,
    metadata text not null default '{}',
    uploader_id text references users (id) on delete set null,
    created_at bigint not null,
    updated_at bigint not null default 0,
    width integer,
    height integer,
    placeholder text,
    variants text,
    variants_due_at bigint not null default 0
  )`,
  sql`create unique index files_by_path on files (path)`,
  sql`create index files_by_uploader on files (uploader_id)`,
  // Pictures whose smaller sizes are still to be made.
  sql`create index files_without_variants on files (created_at) where variants is null`,

  sql`create table post_files (
    post_id text not null references posts (id) on delete cascade,
    file_id text not null references files (id) on delete cascade,
    primary key (post_id, file_id)
  )`,
  sql`create index post_files_by_file on post_files (file_id)`,

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

  // The parts of an upload are in the database, so that different processes can handle its steps.
  sql`create table upload_sessions (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    path text not null,
    type text,
    size bigint check (size >= 0),
    metadata text not null,
    received bigint not null default 0,
    file_id text references files (id) on delete cascade,
    touched_at bigint not null
  )`,
  sql`create index upload_sessions_by_user on upload_sessions (user_id)`,
  sql`create index upload_sessions_by_time on upload_sessions (touched_at)`,
  sql`create index upload_sessions_by_file on upload_sessions (file_id)`,
  sql`create table upload_parts (
    upload_id text not null references upload_sessions (id) on delete cascade,
    start bigint not null,
    size bigint not null check (size > 0),
    skip bigint not null check (skip >= 0),
    key text not null unique,
    digest text not null,
    primary key (upload_id, start)
  )`,
];

/** Counts the bytes of all files as they are added and deleted, by triggers, whichever process writes. */
export async function countFileBytes(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`create table totals (name text primary key, value bigint not null)`.execute(db);
  await sql`insert into totals (name, value) values ('file-bytes', 0)`.execute(db);
  for (const statement of engine === 'sqlite' ? countOnSqlite : countOnPostgres) await statement.execute(db);
}

const countOnSqlite = [
  ['insert', 'new.size'],
  ['delete', '-old.size'],
  ['update of size', 'new.size - old.size'],
].map(([event = '', difference = ''], index) =>
  sql.raw(`create trigger count_file_bytes_${index} after ${event} on files begin
      insert into totals (name, value) values ('file-bytes', ${difference})
        on conflict (name) do update set value = totals.value + excluded.value;
    end`),
);

const countOnPostgres = [
  sql`create function count_file_bytes() returns trigger language plpgsql as $$
    begin
      insert into totals (name, value) values ('file-bytes',
          case when tg_op = 'DELETE' then 0 else new.size end - case when tg_op = 'INSERT' then 0 else old.size end)
        on conflict (name) do update set value = totals.value + excluded.value;
      return null;
    end
  $$`,
  sql`create trigger count_file_bytes after insert or delete or update of size on files
    for each row execute function count_file_bytes()`,
];
