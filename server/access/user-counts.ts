import { type Kysely, sql } from 'kysely';
import { cached } from '../db/changes/cache.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { countRows } from '../db/count-rows.ts';
import type { Tables } from '../db/tables.ts';

/**
 * The accounts of admins, as a condition on `users`: without a parameter, so that the index of admins is
 * used.
 */
export const isAdminAccount = sql<boolean>`users.is_admin`;

/** Tag ids joined by a comma; empty for none. */
type CombinationOfTags = string;

/** How many approved members hold exactly these approved tags. */
export type MemberGroup = { tags: CombinationOfTags; members: number };

/** The members by the tags that they hold, without admins. Counted again after any account has changed. */
export function memberGroups(
  db: Kysely<Tables>,
  changes: ChangeRecord,
): () => Promise<readonly MemberGroup[]> {
  return cached(changes, async dependsOn => {
    dependsOn('viewers');
    return await countMemberGroups(db);
  });
}

/** Like {@link memberGroups}, as this database or transaction has it now. */
export async function countMemberGroups(db: Kysely<Tables>): Promise<MemberGroup[]> {
  // Read along the index of holders, as few accounts other than members hold tags. The same tags in two
  // orders would be two groups, which changes no sum.
  const holders = db
    .selectFrom('approved_tags')
    .select(sql<CombinationOfTags>`string_agg(tag_id, ',')`.as('tags'))
    .where('user_id', 'not in', eb =>
      eb
        .selectFrom('users')
        .select('id')
        .where(where => where.or([where('status', '<>', 'approved'), where('is_admin', '=', true)])),
    )
    .groupBy('user_id');
  const [groups, members] = await Promise.all([
    db
      .selectFrom(holders.as('holders'))
      .select(['tags', ({ fn }) => fn.countAll<number>().as('members')])
      .groupBy('tags')
      .execute(),
    countRows(db.selectFrom('users').where('status', '=', 'approved').where('is_admin', '=', false)),
  ]);
  const holding = groups.reduce((sum, group) => sum + group.members, 0);
  return [...groups, { tags: '', members: Math.max(0, members - holding) }];
}

/** How many accounts of any list hold each tag, by its id. */
export async function countHolders(db: Kysely<Tables>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('approved_tags')
    .select(['tag_id', ({ fn }) => fn.countAll<number>().as('users')])
    .groupBy('tag_id')
    .execute();
  return new Map(rows.map(({ tag_id, users }) => [tag_id, users]));
}

export function tagIdsIn(tags: CombinationOfTags): string[] {
  return tags === '' ? [] : tags.split(',');
}

/**
 * The tags of the members of a group in the form that the rule takes, without building a set for each of many
 * combinations.
 */
export function holdersOf(tags: CombinationOfTags): Pick<ReadonlySet<string>, 'has'> {
  const joined = `,${tags},`;
  return { has: id => joined.includes(`,${id},`) };
}
