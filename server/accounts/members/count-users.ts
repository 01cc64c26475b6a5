import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { listOfUser, tagsOfUser } from '../../access/user-counts.ts';
import { digestOf } from '../../base/secrets.ts';
import { dialectOf } from '../../db/dialect.ts';
import { whileLeased } from '../../db/lease.ts';
import { lettersOf } from '../../db/letters.ts';
import type { CountedList, Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';

/** Few enough to hold nobody up: on SQLite everybody waits for them. */
const usersAtOnce = 100;
/**
 * How long others may write between two parts, in milliseconds: as long as the part took, and at least so
 * long.
 */
const leastRestMs = 10;

type Changed = { id: string; list: CountedList; tags: string; letters: string[] };

/**
 * Counts the accounts that have changed, and makes them findable by their letters. Everything that is
 * answered from the counts and the index looks at those accounts themselves until then, so it is exact at any
 * moment; this makes it fast.
 */
export async function countChangedUsers(deps: DbContext & { stopping: AbortSignal }): Promise<void> {
  const { db, clock, stopping } = deps;
  const some = await db
    .selectFrom('stale_users')
    .select('user_id')
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst();
  if (some === undefined) return;
  await whileLeased(db, 'count-users', clock, async () => {
    let last: string | undefined = '';
    while (!stopping.aborted && last !== undefined) {
      const start = performance.now();
      last = await countSomeUsers(db, last);
      await sleep(Math.max(leastRestMs, performance.now() - start));
    }
  });
}

/** Notes all accounts as changed, where triggers have not: after a restore. Within a transaction. */
export async function noteAllUsers(trx: Kysely<Tables>): Promise<void> {
  await sql`insert into stale_users (user_id) select id from users where true
    on conflict (user_id) do nothing`.execute(trx);
}

/**
 * Takes up some of the changed accounts, in the order of their ids, so that nothing walks again over rows
 * that PostgreSQL has deleted and not yet swept. Returns the last of them; undefined where no more follow.
 */
export async function countSomeUsers(db: Kysely<Tables>, after = ''): Promise<string | undefined> {
  return await inTransaction({ db, ...unguarded }, async trx => {
    const { inList, skipLocked } = dialectOf(trx);
    const stale = await skipLocked(
      trx
        .selectFrom('stale_users')
        .select('user_id')
        .where('user_id', '>', after)
        .orderBy('user_id')
        .limit(usersAtOnce),
    ).execute();
    const ids = stale.map(row => row.user_id);
    if (ids.length === 0) return undefined;
    // A transaction that changes one of them from here on waits for this one, and then notes it again.
    await trx
      .deleteFrom('stale_users')
      .where(inList(sql.ref('user_id'), ids))
      .execute();
    const changed = await readUsers(trx, ids);
    await moveCounts(trx, ids, changed);
    await dialectOf(trx).userSearch.index(trx, changed);
    return ids.length === usersAtOnce ? ids.at(-1) : undefined;
  });
}

async function readUsers(trx: Kysely<Tables>, ids: readonly string[]): Promise<Changed[]> {
  const rows = await trx
    .selectFrom('users')
    .select(['id', 'username', 'name', 'email', listOfUser.as('list'), tagsOfUser.as('tags')])
    .where(dialectOf(trx).inList(sql.ref('id'), ids))
    .execute();
  return rows.map(({ id, list, tags, ...texts }) => ({
    id,
    list,
    tags,
    letters: lettersOf([texts.username, texts.name, texts.email]),
  }));
}

/**
 * Counts accounts where they are now, and no longer where they were. Accounts that are gone leave the index,
 * too.
 */
async function moveCounts(
  trx: Kysely<Tables>,
  ids: readonly string[],
  changed: readonly Changed[],
): Promise<void> {
  const { inList, userSearch } = dialectOf(trx);
  const before = await trx
    .selectFrom('counted_users')
    .select(['user_id', 'count_id'])
    .where(inList(sql.ref('user_id'), ids))
    .execute();
  const countIds = await addToCounts(trx, changed);
  const gone = before.map(row => row.user_id).filter(id => !countIds.has(id));
  await userSearch.remove(trx, gone);
  await trx
    .deleteFrom('counted_users')
    .where(inList(sql.ref('user_id'), gone))
    .execute();
  await writePlaces(trx, countIds);
  await takeFromCounts(
    trx,
    before.map(row => row.count_id),
  );
}

/** Returns where each account is counted now. */
async function addToCounts(
  trx: Kysely<Tables>,
  changed: readonly Changed[],
): Promise<ReadonlyMap<string, number>> {
  const groups = [...Map.groupBy(changed, keyOf)];
  if (groups.length === 0) return new Map();
  const counts = await trx
    .insertInto('user_counts')
    .values(
      groups.map(([key, users]) => ({
        key,
        list: users[0]?.list ?? 'pending',
        tags: users[0]?.tags ?? '',
        users: users.length,
      })),
    )
    .onConflict(conflict =>
      conflict
        .column('key')
        .doUpdateSet(eb => ({ users: eb('user_counts.users', '+', eb.ref('excluded.users')) })),
    )
    .returning(['id', 'key'])
    .execute();
  const idsByKey = new Map(counts.map(({ id, key }) => [key, id]));
  return new Map(
    groups.flatMap(([key, users]) => users.map(user => [user.id, idsByKey.get(key) ?? 0] as const)),
  );
}

/** One account less for each of these numbers; a count of nobody goes. */
async function takeFromCounts(trx: Kysely<Tables>, countIds: readonly number[]): Promise<void> {
  const { inList } = dialectOf(trx);
  const left = [...Map.groupBy(countIds, id => id)].map(([id, all]) => ({ id, users: all.length }));
  for (const [users, some] of Map.groupBy(left, count => count.users)) {
    const ids = some.map(count => count.id);
    await trx
      .updateTable('user_counts')
      .set(eb => ({ users: eb('users', '-', users) }))
      .where(inList(sql.ref('id'), ids))
      .execute();
    await trx
      .deleteFrom('user_counts')
      .where(inList(sql.ref('id'), ids))
      .where('users', '=', 0)
      .execute();
  }
}

async function writePlaces(trx: Kysely<Tables>, countIds: ReadonlyMap<string, number>): Promise<void> {
  if (countIds.size === 0) return;
  await trx
    .insertInto('counted_users')
    .values([...countIds].map(([user_id, count_id]) => ({ user_id, count_id })))
    .onConflict(conflict =>
      conflict.column('user_id').doUpdateSet(eb => ({ count_id: eb.ref('excluded.count_id') })),
    )
    .execute();
}

function keyOf({ list, tags }: Changed): string {
  return digestOf(`${list} ${tags}`);
}
