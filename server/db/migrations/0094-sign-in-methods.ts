import { type Kysely, sql } from 'kysely';

/** It ends older programs, which ask for the table by its former name. */
export const endsOlder = true;

const unused = [
  'access_token',
  'refresh_token',
  'id_token',
  'access_token_expires_at',
  'refresh_token_expires_at',
  'scope',
];

/** Names the ways to sign in for what they are: `accounts` was the name of a library that is gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of unused) await sql`alter table accounts drop column ${sql.ref(column)}`.execute(db);
  await sql`alter table accounts rename column account_id to subject`.execute(db);
  await sql`alter table accounts rename column provider_id to provider`.execute(db);
  await sql`alter table accounts rename to sign_in_methods`.execute(db);
  await sql`drop index accounts_by_user`.execute(db);
  await sql`create index sign_in_methods_by_user on sign_in_methods (user_id)`.execute(db);
}
