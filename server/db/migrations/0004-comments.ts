import { type Kysely, sql } from 'kysely';

/** A comment can carry a key that its author's browser made, so that a repeated request makes no second comment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table comments add column key text`,
    sql`create unique index comments_by_key on comments (user_id, key)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
