import { type Kysely, sql } from 'kysely';

/**
 * Files of posts. The bytes lie in the data folder under the file's id; who may read a file is asked of the posts that
 * carry it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create table files (
      id text primary key,
      name text not null,
      type text not null,
      size bigint not null check (size >= 0),
      digest text not null,
      uploader_id text references users (id) on delete set null,
      created_at bigint not null
    )`,
    sql`create index files_by_uploader on files (uploader_id)`,
    sql`create table post_files (
      post_id text not null references posts (id) on delete cascade,
      file_id text not null references files (id) on delete cascade,
      primary key (post_id, file_id)
    )`,
    sql`create index post_files_by_file on post_files (file_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
