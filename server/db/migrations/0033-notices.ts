import { type Kysely, sql } from 'kysely';

/**
 * Mails that tell the owner of an account what has happened to it are of one kind, and say in their data of which. The
 * browsers that have signed in to an account are known by a digest, so that only a new one is told of.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const notices = {
    token: 'token-made',
    connected: 'provider-connected',
    moving: 'address-change-requested',
    moved: 'address-left',
  };
  for (const [kind, notice] of Object.entries(notices)) {
    const first = `{"notice":"${notice}"`;
    await sql`
      update mails set kind = 'notice', data = ${first} || case when data = '{}' then '}' else ',' || substr(data, 2) end
      where kind = ${kind}
    `.execute(db);
  }
  await sql`create table known_browsers (
    digest text primary key,
    user_id text not null references users (id) on delete cascade,
    used_at bigint not null
  )`.execute(db);
  await sql`create index known_browsers_by_user on known_browsers (user_id)`.execute(db);
  await sql`create index known_browsers_by_use on known_browsers (used_at)`.execute(db);
}
