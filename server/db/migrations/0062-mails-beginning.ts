import { type Kysely, sql } from 'kysely';

/**
 * A post of which mails hold no more than the beginning. It ends older programs, which would mail all of it.
 */
export const endsOlder = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table posts add column mails_beginning boolean not null default false`.execute(db);
}
