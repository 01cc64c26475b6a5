import { type Kysely, sql } from 'kysely';

/**
 * The history of rights: who decided what about whom, when and from where. It is only ever added to: triggers
 * refuse every change, and every deletion but that of entries older than the setting `history-kept-from`,
 * which the sweep writes. It has no foreign keys, because it is read after accounts, tags and tokens are
 * deleted.
 */
export async function createHistory(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`create table history (
    id text primary key,
    at bigint not null,
    kind text not null,
    actor_id text,
    actor_name text,
    via text not null,
    via_name text,
    address text,
    user_id text,
    user_name text,
    detail text not null default '{}'
  )`.execute(db);
  await sql`create index history_by_time on history (at, id)`.execute(db);
  for (const statement of engine === 'sqlite' ? onSqlite : onPostgres) await statement.execute(db);
}

const onSqlite = [
  sql`create trigger keep_history_unchanged before update on history
    begin select raise(abort, 'The history of rights is never changed.'); end`,
  sql`create trigger keep_history before delete on history
    when old.at >= coalesce((select cast(value as integer) from settings where name = 'history-kept-from'), 0)
    begin select raise(abort, 'The history of rights is kept.'); end`,
];

const onPostgres = [
  sql`create function keep_history() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        if old.at < coalesce((select value::bigint from settings where name = 'history-kept-from'), 0) then
          return old;
        end if;
      end if;
      raise exception 'The history of rights is only ever added to.';
    end $$`,
  sql`create trigger keep_history before update or delete on history
    for each row execute function keep_history()`,
  sql`create trigger keep_whole_history before truncate on history
    for each statement execute function keep_history()`,
];
