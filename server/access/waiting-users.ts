import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Config } from '../config.ts';
import { dialectOf } from '../db/dialect.ts';
import { readSetting, writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import type { DbContext } from '../db/transaction.ts';

/** Later than every time, as text in SQLite and as a time in PostgreSQL. */
const never = 'infinity';

/**
 * Records at a start whether accounts must confirm their address before they wait for approval. Those that
 * were made while they need not go on waiting: nobody asked them to, and where no mail was sent they have got
 * no link.
 */
export async function noteConfirmsFirst(
  db: Kysely<Tables>,
  { confirmsFirst }: Pick<Config, 'confirmsFirst'>,
  now: number,
): Promise<void> {
  const isOn = (await readSetting(db, 'confirms-since')) !== never;
  if (isOn === confirmsFirst) return;
  await writeSetting(db, 'confirms-since', confirmsFirst ? new Date(now).toISOString() : never);
}

/** Whether a pending account waits for approval, as a condition on `users`; else its address comes first. */
export function mayWait(db: Kysely<Tables>) {
  const since = dialectOf(db).asTime(sql`(select value from settings where name = 'confirms-since')`);
  return sql<SqlBool>`(users.email_verified or coalesce(users.created_at < ${since}, false))`;
}

/** The accounts that wait for an admin's decision. */
export function waitingUsers({ db }: Pick<DbContext, 'db'>) {
  return db.selectFrom('users').where('status', '=', 'pending').where(mayWait(db));
}
