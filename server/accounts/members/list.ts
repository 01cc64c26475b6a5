import {
  type Expression,
  expressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { describeStatus, type UserStatus } from '../../../contract/accounts/status.ts';
import type { ManagedUser } from '../../../contract/accounts/users.ts';
import { usersPerPage } from '../../../contract/constants.ts';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Input, Output } from '../../../contract/operations.ts';
import { inAlphabeticalOrder } from '../../../contract/text.ts';
import type { ReadContext } from '../../access/context.ts';
import { countList, isAdminAccount } from '../../access/user-counts.ts';
import type { Config } from '../../config.ts';
import { dialectOf } from '../../db/dialect.ts';
import { lettersOfTerm } from '../../db/letters.ts';
import { type Keyset, readPage, selectPage } from '../../db/page.ts';
import { type Tables, timeOf, type UserRow } from '../../db/tables.ts';
import { denialsOf } from './denials.ts';

type UserList = Input<'getUsers'>['list'];
/** From so many accounts on that hold the letters, those found are not counted. */
const manyUsers = 5_000;
/**
 * Among so many accounts of the list a page of these is looked for, before all that hold the letters are
 * looked up.
 */
const walkedUsers = 5_000;

type ListDeps = ReadContext & { config: Config };

/**
 * A page of accounts as admins see them; admins have a list of their own. Throws invalid-argument for a
 * cursor of no page.
 */
export async function listManagedUsers(
  deps: ListDeps,
  { list, search, after }: { list: UserList; search: string; after?: string | null | undefined },
): Promise<Output<'getUsers'>> {
  const { query, isCommon, walked } = await findUsers(deps, list, search);
  const isWaiting = list === 'pending' || list === 'unconfirmed';
  const columns = [isWaiting ? 'created_at' : 'username', 'id'] as const;
  const sortedBy = isWaiting ? 'time' : 'text';
  const keyset = { columns, direction: 'asc', sortedBy, after, limit: usersPerPage } as const;
  const readUsers = (users: UserQuery) =>
    readPage(users.selectAll(), keyset, row => ({
      sortedBy: isWaiting ? moment(timeOf(row.created_at)) : row.username,
      id: row.id,
    }));
  const near = walked && (await readUsers(await upTo(walked, usersInList(deps.db, list, false), keyset)));
  const { rows, nextCursor } = near?.nextCursor ? near : await readUsers(query);
  const users = await describeUsers(deps, rows);
  if (!after && nextCursor === null) return { users, total: rows.length, isTotalExact: true, nextCursor };
  if (isCommon) return { users, total: rows.length, isTotalExact: false, nextCursor };
  return { users, total: await countUsers(deps, list, search, query), isTotalExact: true, nextCursor };
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

/** Accounts by username, for the command line. */
export async function listUsers(deps: ListDeps, status?: UserStatus): Promise<ManagedUser[]> {
  let query = deps.db.selectFrom('users').selectAll().orderBy('username');
  if (status !== undefined) query = query.where('status', '=', status);
  return await describeUsers(deps, await query.execute());
}

type UserQuery = SelectQueryBuilder<Tables, 'users', object>;

/**
 * The accounts of a list in which a text is found. Those that hold its letters are looked up and sorted.
 * Where there are many (`isCommon`), a page is full sooner in `walked`, the list in its order, unless they
 * stand late in it.
 */
async function findUsers(
  { db, config }: ListDeps,
  list: UserList,
  search: string,
): Promise<{ query: UserQuery; isCommon: boolean; walked?: UserQuery }> {
  const { userSearch, unindexed } = dialectOf(db);
  const listed = usersInList(db, list, config.confirmsFirst);
  if (search === '') return { query: listed, isCommon: false };
  const holding = listed.where(holdsText(db, search));
  // Few are admins, and few wait.
  if (!isLong(list)) return { query: holding, isCommon: false };
  const letters = lettersOfTerm(search);
  if (letters.length === 0 || (await areManyStale(db))) return { query: holding, isCommon: true };
  // Those that have changed since the index was made may hold it, too.
  const found = sql<SqlBool>`users.id in (
    ${userSearch.ids(letters)} union all select user_id from stale_users
  )`;
  const query = db
    .selectFrom('users')
    .where(unindexed(sql.ref('status')), '=', list)
    .where(sql<SqlBool>`not users.is_admin`)
    .where(found)
    .where(holdsText(db, search));
  const isCommon = (await userSearch.count(db, letters, manyUsers)) === manyUsers;
  return isCommon ? { query, isCommon, walked: holding } : { query, isCommon };
}

/** Those of some accounts that are among the next `walkedUsers` of their list. */
async function upTo(users: UserQuery, listed: UserQuery, keyset: Keyset): Promise<UserQuery> {
  const last = await selectPage(listed.select(['username', 'id']), keyset)
    .offset(walkedUsers - 1)
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return users;
  return users.where(sql<SqlBool>`(users.username, users.id) <= (${last.username}, ${last.id})`);
}

/** Whether so many wait to be indexed, after an upgrade or a restore, that the index is of no use yet. */
async function areManyStale(db: Kysely<Tables>): Promise<boolean> {
  const stale = db.selectFrom('stale_users').select('user_id').limit(manyUsers).as('stale');
  const { count } = await db
    .selectFrom(stale)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count === manyUsers;
}

async function countUsers(
  { db }: ListDeps,
  list: UserList,
  search: string,
  query: UserQuery,
): Promise<number> {
  if (search === '' && isLong(list)) return await countList(db, list);
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

const isLong = (list: UserList) => list === 'approved' || list === 'denied';

function holdsText(db: Kysely<Tables>, search: string): Expression<SqlBool> {
  const { containsText } = dialectOf(db);
  const { or } = expressionBuilder<Tables, 'users'>();
  // SQLite folds the case of ASCII letters alone, so other names are looked for in the ways people write
  // them.
  const spellings = new Set([search, search.toLowerCase(), capitalised(search)]);
  return or([
    containsText(sql.ref('username'), search),
    containsText(sql.ref('email'), search),
    ...[...spellings].map(spelling => containsText(sql.ref('name'), spelling)),
  ]);
}

/** The accounts of one of the admins' lists. */
function usersInList(db: Kysely<Tables>, list: UserList, confirmsFirst: boolean) {
  if (list === 'admins') return db.selectFrom('users').where(isAdminAccount);
  const users = db.selectFrom('users').where('is_admin', '=', false);
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
      .sort(inAlphabeticalOrder),
    createdAt: moment(timeOf(row.created_at)),
    approvedAt: moment(row.approved_at),
    deniedAt: moment(row.denied_at),
    deniedBeforeAt: row.denied_at === null ? moment(denials.get(row.id) ?? null) : null,
  }));
}
