import { type Kysely, sql } from 'kysely';

/** A session stays on a device of one's own, or ends with the browser and after a day. All until now stay.
 * A sign-in that still needs a code knows which it is to be. */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const yes = sql.raw(engine === 'sqlite' ? '1' : 'true');
  await sql`alter table sessions add column is_long boolean not null default ${yes}`.execute(db);
  await sql`alter table pending_sign_ins add column is_long boolean not null default ${yes}`.execute(db);
}
