import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Config } from '../config.ts';
import { dialectOf } from '../db/dialect.ts';
import { readSetting, writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import type { DbContext } from '../db/transaction.ts';

/** Earlier and later than every time, as text in SQLite and as times in PostgreSQL. */
const [always, never] = ['-infinity', 'infinity'];

/**
 * Records at a start whether accounts must confirm their address before they wait for approval. Those that
 * were made while they need not, in the last period without, go on waiting: nobody asked them to, and where
 * no mail was sent they have got no link.
 */
export async function noteConfirmsFirst(
  db: Kysely<Tables>,
  { confirmsFirst }: Pick<Config, 'confirmsFirst'>,
  now: number,
): Promise<void> {
  const since = await readSetting(db, 'confirms-since');
  if (since !== undefined && (since !== never) === confirmsFirst) return;
  // At the first start all times before are of the same kind.
  const at = since === undefined ? always : new Date(now).toISOString();
  if (!confirmsFirst) await writeSetting(db, 'confirmed-until', at);
  await writeSetting(db, 'confirms-since', confirmsFirst ? at : never);
}

/** Whether a pending account waits for approval, as a condition on `users`; else its address comes first. */
export function mayWait(db: Kysely<Tables>) {
  const setting = (name: string) =>
    sql`(select ${dialectOf(db).asTime(sql`value`)} from settings where name = ${sql.lit(name)})`;
  const isOfPeriod = sql`users.created_at >= ${setting('confirmed-until')}
    and users.created_at < ${setting('confirms-since')}`;
  return sql<SqlBool>`(users.email_verified or coalesce(${isOfPeriod}, false))`;
}

/** The accounts that wait for an admin's decision. */
export function waitingUsers({ db }: Pick<DbContext, 'db'>) {
  return db.selectFrom('users').where('status', '=', 'pending').where(mayWait(db));
}
