import { type Kysely, sql } from 'kysely';

/**
 * An unfinished upload was a file in the data folder of the process that began it, and its length said how much had come.
 * Now each part lies in the store of files, and the database says which parts there are, so that a step may come to any
 * process. Uploads that are under way begin again. The bytes of all files are counted as they come and go, by triggers,
 * so that a process of an older version counts them, too. Pictures are claimed by who makes their sizes, and the sweep by
 * who sweeps.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const statements = [
    sql`alter table upload_sessions add column received bigint not null default 0`,
    sql`create table upload_parts (
      upload_id text not null references upload_sessions (id) on delete cascade,
      start bigint not null,
      size bigint not null check (size > 0),
      skip bigint not null check (skip >= 0),
      key text not null unique,
      digest text not null,
      primary key (upload_id, start)
    )`,
    sql`create table totals (name text primary key, value bigint not null)`,
    sql`insert into totals (name, value) select 'file-bytes', coalesce(sum(size), 0) from files`,
    sql`alter table files add column variants_due_at bigint not null default 0`,
    sql`create table leases (name text primary key, until bigint not null)`,
  ];
  for (const statement of statements) await statement.execute(db);
  if (engine === 'postgres') await countOnPostgres(db);
  else await countOnSqlite(db);
}

async function countOnSqlite(db: Kysely<unknown>): Promise<void> {
  const changes = { insert: 'new.size', delete: '-old.size', 'update of size': 'new.size - old.size' };
  for (const [index, [event, difference]] of Object.entries(changes).entries()) {
    await sql`create trigger count_file_bytes_${sql.raw(String(index))} after ${sql.raw(event)} on files begin
      insert into totals (name, value) values ('file-bytes', ${sql.raw(difference)})
        on conflict (name) do update set value = totals.value + excluded.value;
    end`.execute(db);
  }
}

async function countOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`create function count_file_bytes() returns trigger language plpgsql as $$
    begin
      insert into totals (name, value) values ('file-bytes',
          case when tg_op = 'DELETE' then 0 else new.size end - case when tg_op = 'INSERT' then 0 else old.size end)
        on conflict (name) do update set value = totals.value + excluded.value;
      return null;
    end
  $$`.execute(db);
  await sql`create trigger count_file_bytes after insert or delete or update of size on files
    for each row execute function count_file_bytes()`.execute(db);
}
