import { domainToASCII } from 'node:url';
import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Addresses of imported people kept hosts in their own letters; all are stored in ASCII now. One whose
 * ASCII form somebody has already stays as it is.
 */
export async function up(db: QueryExecutorProvider): Promise<void> {
  const { rows } = await sql<{ id: string; email: string }>`select id, email from users
    where length(email) <> octet_length(email)`.execute(db);
  for (const { id, email } of rows) {
    const at = email.lastIndexOf('@') + 1;
    const host = domainToASCII(email.slice(at));
    if (host === '') continue;
    const normal = email.slice(0, at) + host;
    await sql`update users set email = ${normal} where id = ${id}
      and not exists (select 1 from users as others where others.email = ${normal})`.execute(db);
    await sql`update subscriptions set email = (select email from users where users.id = user_id)
      where user_id = ${id}`.execute(db);
  }
}
