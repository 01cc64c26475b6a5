import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { describeStatus, type UserStatus } from '../../../contract/accounts/status.ts';
import type { ManagedUser } from '../../../contract/accounts/users.ts';
import { usersPerPage } from '../../../contract/constants.ts';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Input, Output } from '../../../contract/operations.ts';
import { faceAt } from '../../../contract/site-pictures.ts';
import { inAlphabeticalOrder } from '../../../contract/text.ts';
import type { ReadContext } from '../../access/context.ts';
import { isAdminAccount } from '../../access/user-counts.ts';
import { mayWait } from '../../access/waiting-users.ts';
import { countRows } from '../../db/count-rows.ts';
import { dialectOf } from '../../db/dialect.ts';
import { nameContains } from '../../db/name-contains.ts';
import { naturalName } from '../../db/natural-name.ts';
import { readPage, selectPage } from '../../db/page.ts';
import { type Tables, timeOf, type UserRow } from '../../db/tables.ts';
import { versionOfUser } from './decide.ts';
import { denialsOf } from './denials.ts';

type UserList = Input<'getUsers'>['list'];

/**
 * A page of accounts as admins see them; admins have a list of their own. Throws invalid-argument for an
 * invalid cursor.
 */
export async function listManagedUsers(
  deps: ReadContext,
  { list, search, after }: { list: UserList; search: string; after?: string | null | undefined },
): Promise<Output<'getUsers'>> {
  const { db, catalogue } = deps;
  const inList = usersInList(db, list);
  const found =
    search === '' ? inList : inList.where(matches(db, search, (await catalogue()).tagIdOf(search)));
  const isWaiting = list === 'pending' || list === 'unconfirmed';
  const columns = [isWaiting ? 'created_at' : naturalName, 'id'] as const;
  const keyset = { columns, direction: 'asc', sortedBy: isWaiting ? 'time' : 'text', after } as const;
  // First only the ids: the index that finds them holds all columns that are needed.
  const ids = selectPage(found.select('users.id'), { ...keyset, limit: usersPerPage });
  const { rows, nextCursor } = await readPage(
    accountsOf(db).where('users.id', 'in', ids),
    { ...keyset, after: null, limit: usersPerPage },
    row => ({
      sortedBy: isWaiting ? moment(timeOf(row.created_at)) : naturalNameOf(row.username),
      id: row.id,
    }),
  );
  const users = await describeUsers(deps, rows);
  const isWhole = !after && nextCursor === null;
  return { users, total: isWhole ? rows.length : await countRows(found), nextCursor };
}

const naturalNameOf = (username: string) => username.replace(/\d*$/, digits => digits.padStart(40, '0'));

/** One account as admins see it. Throws not-found. */
export async function getManagedUser(deps: ReadContext, id: string): Promise<ManagedUser> {
  const user = (await getManagedUsers(deps, [id])).get(id);
  if (user === undefined) throw new AppError('not-found', 'User not found.');
  return user;
}

/** The accounts with these ids that exist, as admins see them, by id. */
export async function getManagedUsers(
  deps: ReadContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ManagedUser>> {
  const { inList } = dialectOf(deps.db);
  const rows = await accountsOf(deps.db)
    .where(inList(sql.ref('id'), ids))
    .execute();
  return new Map((await describeUsers(deps, rows)).map(user => [user.id, user]));
}

/** Accounts by username, for the command line. */
export async function listUsers(deps: ReadContext, status?: UserStatus): Promise<ManagedUser[]> {
  let query = accountsOf(deps.db).orderBy(naturalName);
  if (status !== undefined) query = query.where('status', '=', status);
  return await describeUsers(deps, await query.execute());
}

const accountsOf = (db: Kysely<Tables>) =>
  db.selectFrom('users').selectAll().select(mayWait(db).as('may_wait'));

/** The accounts with this text, or with the tag of this name, if there is one. */
function matches(db: Kysely<Tables>, search: string, tagId: string | undefined): Expression<SqlBool> {
  const { containsText } = dialectOf(db);
  const { or, eb, selectFrom } = expressionBuilder<Tables, 'users'>();
  return or([
    containsText(sql.ref('username'), search),
    containsText(sql.ref('email'), search),
    nameContains(db, search),
    ...(tagId === undefined
      ? []
      : [eb('users.id', 'in', selectFrom('approved_tags').select('user_id').where('tag_id', '=', tagId))]),
  ]);
}

function usersInList(db: Kysely<Tables>, list: UserList) {
  if (list === 'admins') return db.selectFrom('users').where(isAdminAccount);
  const users = db.selectFrom('users').where('is_admin', '=', false);
  if (list === 'pending') return users.where('status', '=', list).where(mayWait(db));
  if (list !== 'unconfirmed') return users.where('status', '=', list);
  return users.where('status', '=', 'pending').where(({ not }) => not(mayWait(db)));
}

async function describeUsers(
  { db, catalogue }: ReadContext,
  rows: readonly (UserRow & { may_wait: SqlBool })[],
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
  const tagIdsOf = (id: string) => (byUser.get(id) ?? []).map(({ tag_id }) => tag_id);
  return rows.map(row => ({
    id: row.id,
    username: row.display_username,
    name: row.name,
    face: faceAt(row.id, row.image),
    email: row.email,
    isAdmin: Boolean(row.is_admin),
    isAuthor: Boolean(row.is_author),
    isMuted: Boolean(row.is_muted),
    isEmailConfirmed: Boolean(row.email_verified),
    isUnconfirmed: row.status === 'pending' && !row.may_wait,
    ...describeStatus(row.status),
    introduction: row.status === 'pending' ? row.introduction : null,
    approvedTags: tagIdsOf(row.id)
      .flatMap(id => tags.get(id)?.name ?? [])
      .sort(inAlphabeticalOrder),
    version: versionOfUser(row.status, tagIdsOf(row.id)),
    createdAt: moment(timeOf(row.created_at)),
    approvedAt: moment(row.approved_at),
    deniedAt: moment(row.denied_at),
    deniedBeforeAt: row.denied_at === null ? moment(denials.get(row.id) ?? null) : null,
  }));
}
