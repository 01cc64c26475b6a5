import { type Kysely, sql } from 'kysely';

/**
 * Links that prove that who has an account reads a mailbox. They were signed tokens that named the address of an account,
 * and could be used again by whoever kept one, also after the account had gone to somebody else. Now each is a row of
 * one account, and works once. The tokens from before are in no row, so they open nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create table email_links (
      digest text primary key,
      user_id text not null references users (id) on delete cascade,
      email text not null,
      expires_at bigint not null
    )`,
    sql`create index email_links_by_user on email_links (user_id)`,
    sql`create index email_links_by_expiry on email_links (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
