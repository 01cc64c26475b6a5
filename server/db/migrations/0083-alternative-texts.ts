import { type Kysely, sql } from 'kysely';

/**
 * What is on an attached picture, for those who do not see it, beside its caption. Older programs keep it:
 * they save the columns of an attachment that they do not know as they are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attachments add column alt text`.execute(db);
}
