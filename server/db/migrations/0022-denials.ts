import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/**
 * Which addresses were denied, so that a denied account that deletes itself and signs up again is known to whoever
 * decides. Of the address only a digest is kept, which says nothing until the same address comes again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table denials (
    digest text primary key,
    user_id text not null,
    denied_at bigint not null
  )`.execute(db);
  await sql`create index denials_by_user on denials (user_id)`.execute(db);
  const { rows } = await sql<{ id: string; email: string; denied_at: number | string }>`
    select id, email, denied_at from users where status = 'denied'`.execute(db);
  for (const { id, email, denied_at } of rows) {
    await sql`insert into denials (digest, user_id, denied_at) values (${digestOf(email)}, ${id}, ${denied_at})
      on conflict (digest) do nothing`.execute(db);
  }
}

function digestOf(email: string): string {
  const [mailbox = '', host = ''] = email.toLowerCase().split('@');
  return createHash('sha256')
    .update(`denied ${mailbox.split('+')[0]}@${host}`)
    .digest('base64url');
}
