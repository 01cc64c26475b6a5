import { type Kysely, sql } from 'kysely';

/** Imports and exports that an admin begins in the browser. Only one is open at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table transfers (
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
  )`.execute(db);
  await sql`create unique index transfers_open
    on transfers ((case when state in ('waiting', 'running', 'checked') then 1 end))`.execute(db);
  await sql`create index transfers_by_time on transfers (created_at, id)`.execute(db);
  await sql`create index transfers_by_user on transfers (user_id)`.execute(db);
}
