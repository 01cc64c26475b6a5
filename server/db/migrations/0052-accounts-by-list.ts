import { type Kysely, sql } from 'kysely';

/**
 * Accounts are counted and searched where they are: one index holds what that reads. The stored counts, the
 * index of letters, and the triggers that marked accounts for them go (docs/decisions/0028), where a program
 * from before a release has made them. An account that is added is recorded as one that changes is, because
 * counts of members are made anew by that record.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (const [index, table] of ['users', 'users', 'users', 'approved_tags', 'approved_tags'].entries()) {
    const name = sql.raw(`note_stale_user_${index}`);
    await sql`drop trigger if exists ${name} ${sql.raw(engine === 'postgres' ? `on ${table}` : '')}`.execute(
      db,
    );
    if (engine === 'postgres') await sql`drop function if exists ${name}()`.execute(db);
  }
  if (engine === 'postgres')
    await sql`drop function if exists users_with_letters(text[], integer)`.execute(db);
  for (const table of ['user_search', 'counted_users', 'user_counts', 'stale_users']) {
    await sql`drop table if exists ${sql.raw(table)}`.execute(db);
  }
  await sql`delete from leases where name = 'count-users'`.execute(db);
  await sql`drop index users_by_status`.execute(db);
  await sql`create index users_by_list on users (status, is_admin, username, id, name, email)`.execute(db);
  const record = `insert into changes (kind, key) values ('viewer', new.id)`;
  if (engine === 'sqlite') {
    await sql.raw(`create trigger record_user after insert on users begin ${record}; end`).execute(db);
    return;
  }
  await sql
    .raw(
      `create function record_user() returns trigger language plpgsql as $$
      begin
        ${record};
        return null;
      end $$`,
    )
    .execute(db);
  await sql
    .raw('create trigger record_user after insert on users for each row execute function record_user()')
    .execute(db);
}

export const endsOlder = true;
