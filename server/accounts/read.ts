import type { Kysely } from 'kysely';
import { isAdminAccount } from '../access/user-counts.ts';
import { type MemberStatus, type Tables, timeOf } from '../db/tables.ts';
import { denialsOf } from './denials.ts';

export async function hasAdmin(db: Kysely<Tables>): Promise<boolean> {
  const admin = await db.selectFrom('users').select('id').where(isAdminAccount).limit(1).executeTakeFirst();
  return admin !== undefined;
}

type ListedUser = {
  id: string;
  username: string;
  name: string;
  email: string;
  status: MemberStatus;
  isEmailConfirmed: boolean;
  isAdmin: boolean;
  isAuthor: boolean;
  /** What they wrote when they signed up; null once they have been decided about. */
  introduction: string | null;
  /** When this address was denied in an account that is gone. */
  deniedBeforeAt: number | undefined;
  createdAt: number;
};

/** Accounts by username, for the command line. */
export async function listUsers(db: Kysely<Tables>, status?: MemberStatus): Promise<ListedUser[]> {
  let query = db.selectFrom('users').selectAll().orderBy('username');
  if (status !== undefined) query = query.where('status', '=', status);
  const rows = await query.execute();
  const denials = await denialsOf(db, rows);
  return rows.map(row => ({
    id: row.id,
    username: row.display_username,
    name: row.name,
    email: row.email,
    status: row.status,
    isEmailConfirmed: Boolean(row.email_verified),
    isAdmin: Boolean(row.is_admin),
    isAuthor: Boolean(row.is_author),
    introduction: row.status === 'pending' ? row.introduction : null,
    deniedBeforeAt: row.denied_at === null ? denials.get(row.id) : undefined,
    createdAt: timeOf(row.created_at),
  }));
}

/** An account as the history of rights names it. Throws for one that is not there. */
export async function namedAccount(
  db: Kysely<Tables>,
  id: string,
): Promise<{ id: string; username: string }> {
  const { display_username: username } = await db
    .selectFrom('users')
    .select('display_username')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { id, username };
}

/** The id of the account with this username or email address, in any case; undefined when there is none. */
export async function findUserId(db: Kysely<Tables>, usernameOrEmail: string): Promise<string | undefined> {
  const wanted = usernameOrEmail.trim().toLowerCase();
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(eb => eb.or([eb('username', '=', wanted), eb('email', '=', wanted)]))
    .executeTakeFirst();
  return row?.id;
}
