import { type Kysely, sql } from 'kysely';

/**
 * The code alone is no recent sign-in: what was shown before it may be older, such as a sign-in at an OpenID
 * provider.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table pending_sign_ins add column shown_at bigint`.execute(db);
}
