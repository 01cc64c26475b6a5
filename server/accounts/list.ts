import { type Kysely, type SqlBool, sql } from 'kysely';
import { describeStatus } from '../../contract/accounts/status.ts';
import type { ManagedUser } from '../../contract/accounts/users.ts';
import { usersPerPage } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { dialectOf } from '../db/dialect.ts';
import { readPage } from '../db/page.ts';
import { type Tables, timeOf, type UserRow } from '../db/tables.ts';
import type { Deps, ReadDeps } from '../deps.ts';
import { denialsOf } from './denials.ts';

type UserList = 'pending' | 'unconfirmed' | 'approved' | 'denied' | 'admins';
type ListDeps = ReadDeps & Pick<Deps, 'config'>;

type PageRequest = {
  list: UserList;
  /** Part of a username, full name or email address; empty for all. */
  search: string;
  /** The cursor of an earlier page. */
  after?: string | null | undefined;
};

/**
 * A page of accounts as admins see them; admins have a list of their own. Throws invalid-argument for a cursor of no
 * page.
 */
export async function listManagedUsers(
  deps: ListDeps,
  { list, search, after }: PageRequest,
): Promise<{ users: ManagedUser[]; total: number; nextCursor: string | null }> {
  const matches = usersIn(deps, list, search);
  const { total } = await matches
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const isWaiting = list === 'pending' || list === 'unconfirmed';
  const columns = [isWaiting ? 'created_at' : 'username', 'id'] as const;
  const { rows, nextCursor } = await readPage(
    matches.selectAll(),
    { columns, direction: 'asc', after, limit: usersPerPage },
    row => ({
      sortedBy: isWaiting ? new Date(timeOf(row.created_at)).toISOString() : row.username,
      id: row.id,
    }),
  );
  return { users: await describeUsers(deps, rows), total, nextCursor };
}

/** One account as admins see it. Throws not-found. */
export async function getManagedUser(deps: ListDeps, id: string): Promise<ManagedUser> {
  const user = (await getManagedUsers(deps, [id])).get(id);
  if (user === undefined) throw new AppError('not-found', 'User not found.');
  return user;
}

/** Those of these accounts that there are, as admins see them, by id. */
export async function getManagedUsers(
  deps: ListDeps,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ManagedUser>> {
  const { inList } = dialectOf(deps.db);
  const rows = await deps.db
    .selectFrom('users')
    .selectAll()
    .where(inList(sql.ref('id'), ids))
    .execute();
  return new Map((await describeUsers(deps, rows)).map(user => [user.id, user]));
}

function usersIn({ db, config }: ListDeps, list: UserList, search: string) {
  const query = inList(db, list, config.confirmsFirst);
  if (search === '') return query;
  const { containsText } = dialectOf(db);
  // SQLite folds the case of ASCII letters alone, so other names are looked for in the ways people write them.
  const spellings = new Set([search, search.toLowerCase(), capitalised(search)]);
  return query.where(eb =>
    eb.or([
      containsText(sql.ref('username'), search),
      containsText(sql.ref('email'), search),
      ...[...spellings].map(spelling => containsText(sql.ref('name'), spelling)),
    ]),
  );
}

function inList(db: Kysely<Tables>, list: UserList, confirmsFirst: boolean) {
  const users = db.selectFrom('users').where('is_admin', '=', list === 'admins');
  if (list === 'admins') return users;
  if (list === 'unconfirmed') {
    const unconfirmed = users.where('status', '=', 'pending').where('email_verified', '=', false);
    // Where nobody has to confirm an address first, all who wait are in one list.
    return confirmsFirst ? unconfirmed : unconfirmed.where(sql<SqlBool>`1 = 0`);
  }
  const inStatus = users.where('status', '=', list);
  return list === 'pending' && confirmsFirst ? inStatus.where('email_verified', '=', true) : inStatus;
}

function capitalised(text: string): string {
  return text.toLowerCase().replaceAll(/(?<!\p{L})\p{L}/gu, letter => letter.toUpperCase());
}

async function describeUsers(
  { db, catalogue, config }: ListDeps,
  rows: readonly UserRow[],
): Promise<ManagedUser[]> {
  const { tags } = await catalogue();
  const approved = await db
    .selectFrom('approved_tags')
    .selectAll()
    .where(
      dialectOf(db).inList(
        sql.ref('user_id'),
        rows.map(row => row.id),
      ),
    )
    .execute();
  const denials = await denialsOf(db, rows);
  const byUser = Map.groupBy(approved, row => row.user_id);
  const moment = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return rows.map(row => ({
    id: row.id,
    username: row.display_username,
    name: row.name,
    email: row.email,
    isAdmin: Boolean(row.is_admin),
    isAuthor: Boolean(row.is_author),
    isEmailConfirmed: Boolean(row.email_verified),
    isUnconfirmed: config.confirmsFirst && row.status === 'pending' && !row.email_verified,
    ...describeStatus(row.status),
    introduction: row.status === 'pending' ? row.introduction : null,
    approvedTags: (byUser.get(row.id) ?? [])
      .flatMap(({ tag_id }) => tags.get(tag_id)?.name ?? [])
      .sort((a, b) => a.localeCompare(b, 'en')),
    createdAt: new Date(timeOf(row.created_at)).toISOString(),
    approvedAt: moment(row.approved_at),
    deniedAt: moment(row.denied_at),
    deniedBeforeAt: row.denied_at === null ? moment(denials.get(row.id) ?? null) : null,
  }));
}
