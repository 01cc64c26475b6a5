import { type Kysely, sql } from 'kysely';

/**
 * What somebody writes to the author when they sign up, until somebody has decided about them; and what an account had
 * before the last decision about it, so that it can be taken back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column introduction text`.execute(db);
  await sql`create table undoable_decisions (
    user_id text primary key references users (id) on delete cascade,
    decided_at bigint not null,
    before text not null
  )`.execute(db);
  await sql`create index undoable_decisions_by_time on undoable_decisions (decided_at)`.execute(db);
}
