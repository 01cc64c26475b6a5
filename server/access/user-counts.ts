import { type Kysely, type RawBuilder, sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { CountedList, Tables } from '../db/tables.ts';

/**
 * The accounts of admins, as a condition on `users`: without a parameter, so that an index of admins alone
 * answers it.
 */
export const isAdminAccount = sql<boolean>`users.is_admin`;

/** The list of an account, as a column of a query on `users`. */
export const listOfUser: RawBuilder<CountedList> = sql`case when users.is_admin then 'admins' else users.status end`;

/** The approved tags of an account, as {@link CombinationOfTags}, as a column of a query on `users`. */
export const tagsOfUser: RawBuilder<string> = sql`coalesce((select string_agg(tag_id, ',' order by tag_id)
  from approved_tags where approved_tags.user_id = users.id), '')`;

/** Tag ids joined by a comma, in one order; empty for none. */
type CombinationOfTags = string;

/** How many approved members hold exactly these approved tags. */
export type MemberGroup = { tags: CombinationOfTags; members: number };

/**
 * The members by the tags that they hold, admins left out: exact at this moment, from a row for each
 * combination that members hold.
 */
export async function memberGroups(db: Kysely<Tables>): Promise<MemberGroup[]> {
  const groups = await usersByTags(db, ['approved']);
  return [...groups].map(([tags, members]) => ({ tags, members }));
}

/** How many accounts of any list hold each tag, by its id. */
export async function countHolders(db: Kysely<Tables>): Promise<ReadonlyMap<string, number>> {
  const holders = new Map<string, number>();
  for (const [tags, users] of await usersByTags(db, ['pending', 'approved', 'denied', 'admins'])) {
    for (const id of tagIdsIn(tags)) holders.set(id, (holders.get(id) ?? 0) + users);
  }
  return holders;
}

/** How many accounts a list holds: exact at this moment. */
export async function countList(db: Kysely<Tables>, list: CountedList): Promise<number> {
  const { users } = await countedUsers(db, [list])
    .select(({ fn }) => fn.sum<number | string | null>('users').as('users'))
    .executeTakeFirstOrThrow();
  return Number(users ?? 0);
}

async function usersByTags(
  db: Kysely<Tables>,
  lists: readonly CountedList[],
): Promise<ReadonlyMap<CombinationOfTags, number>> {
  const rows = await countedUsers(db, lists).select(['tags', 'users']).execute();
  const groups = new Map<CombinationOfTags, number>();
  for (const { tags, users } of rows) groups.set(tags, (groups.get(tags) ?? 0) + Number(users));
  for (const [tags, users] of groups) if (users === 0) groups.delete(tags);
  return groups;
}

/**
 * Rows whose sum is the number of accounts: the stored counts, and for each account that has changed since,
 * one row that takes it out of the count where it is stored and one that adds it where it is now. One
 * statement, so that all parts are of the same moment. Without `cross join` SQLite, which does not know that
 * few accounts are marked as changed, would scan all accounts and look each of them up among the marks.
 */
function countedUsers(db: Kysely<Tables>, lists: readonly CountedList[]) {
  const { inList } = dialectOf(db);
  const isListed = inList(sql.ref('user_counts.list'), lists);
  const rows = sql<{ tags: CombinationOfTags; users: number | string }>`(
    select tags, users from user_counts where ${isListed}
    union all
    select tags, sum(users) from (
      select user_counts.tags as tags, -1 as users from stale_users cross join counted_users cross join user_counts
      where counted_users.user_id = stale_users.user_id and user_counts.id = counted_users.count_id and ${isListed}
      union all
      select ${tagsOfUser}, 1 from stale_users cross join users
      where users.id = stale_users.user_id and ${inList(listOfUser, lists)}
    ) as changed group by tags
  )`;
  return db.selectFrom(rows.as('counted'));
}

export function tagIdsIn(tags: CombinationOfTags): string[] {
  return tags === '' ? [] : tags.split(',');
}

/**
 * The tags of those who hold exactly this combination, as the rule needs them, without building a set for
 * each of many combinations.
 */
export function holdersOf(tags: CombinationOfTags): Pick<ReadonlySet<string>, 'has'> {
  const joined = `,${tags},`;
  return { has: id => joined.includes(`,${id},`) };
}
