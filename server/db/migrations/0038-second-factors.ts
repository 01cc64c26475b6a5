import { type Kysely, sql } from 'kysely';

/**
 * Second factors: the secret of an app that makes codes, and recovery codes, of which only digests are kept. A sign-in that
 * still needs a code is no session, and has a table of its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create table second_factors (
      user_id text primary key references users (id) on delete cascade,
      secret text not null,
      last_step bigint not null,
      created_at bigint not null
    )`,
    sql`create table recovery_codes (
      digest text primary key,
      user_id text not null references users (id) on delete cascade
    )`,
    sql`create index recovery_codes_by_user on recovery_codes (user_id)`,
    sql`create table pending_sign_ins (
      digest text primary key,
      user_id text not null references users (id) on delete cascade,
      expires_at bigint not null
    )`,
    sql`create index pending_sign_ins_by_user on pending_sign_ins (user_id)`,
    sql`create index pending_sign_ins_by_end on pending_sign_ins (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
