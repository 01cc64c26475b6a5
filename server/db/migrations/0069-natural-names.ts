import { type Kysely, sql } from 'kysely';

/** Lists of accounts are in natural order: member2 before member10. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const name = `(rtrim(username, '0123456789')
    || substr('0000000000000000000000000000000000000000', 1, 40 - length(username) + length(rtrim(username, '0123456789')))
    || substr(username, length(rtrim(username, '0123456789')) + 1))`;
  await sql`drop index users_by_list`.execute(db);
  await sql
    .raw(`create index users_by_list on users (status, is_admin, ${name}, id, username, name, email)`)
    .execute(db);
}
