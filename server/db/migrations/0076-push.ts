import { type Kysely, sql } from 'kysely';

/** The browsers that are notified, each until its session ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table push_subscriptions (
    session_id text primary key references sessions (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    endpoint text not null unique,
    p256dh text not null,
    auth text not null,
    created_at bigint not null
  )`.execute(db);
  await sql`create index push_subscriptions_by_user on push_subscriptions (user_id)`.execute(db);
}
