import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';

/**
 * The tags that an account was approved for besides the default ones, and those that an admin has taken from
 * it.
 */
type TagTable = 'approved_tags' | 'withheld_tags';

export async function tagsIn(trx: Kysely<Tables>, table: TagTable, userId: string): Promise<string[]> {
  const rows = await trx.selectFrom(table).select('tag_id').where('user_id', '=', userId).execute();
  return rows.map(row => row.tag_id);
}

export async function replaceTags(
  trx: Kysely<Tables>,
  table: TagTable,
  userId: string,
  tagIds: readonly string[],
): Promise<void> {
  await trx.deleteFrom(table).where('user_id', '=', userId).execute();
  const rows = [...new Set(tagIds)].map(tag_id => ({ user_id: userId, tag_id }));
  if (rows.length > 0) await trx.insertInto(table).values(rows).execute();
}

/**
 * Replaces the approved tags of an account. Remembers the removed ones, so that only an admin gives them
 * back.
 */
export async function replaceApprovedTags(
  trx: Kysely<Tables>,
  userId: string,
  current: readonly string[],
  tagIds: readonly string[],
): Promise<void> {
  const known = [...current, ...(await tagsIn(trx, 'withheld_tags', userId))];
  const withheld = known.filter(id => !tagIds.includes(id));
  await replaceTags(trx, 'approved_tags', userId, tagIds);
  await replaceTags(trx, 'withheld_tags', userId, withheld);
}

/**
 * Like {@link replaceApprovedTags} for many accounts: one tag in place of another, which all of them have.
 * Returns those that had the other already.
 */
export async function replaceTagOfMany(
  trx: Kysely<Tables>,
  userIds: readonly string[],
  { tagId, intoId }: { tagId: string; intoId: string },
): Promise<ReadonlySet<string>> {
  const among = dialectOf(trx).inList(sql.ref('user_id'), userIds);
  const approved = trx.selectFrom('approved_tags').select('user_id').where('tag_id', '=', intoId);
  const had = (await approved.where(among).execute()).map(row => row.user_id);
  await trx
    .updateTable('approved_tags')
    .set({ tag_id: intoId })
    .where('tag_id', '=', tagId)
    .where(among)
    .where('user_id', 'not in', approved)
    .execute();
  await trx.deleteFrom('approved_tags').where('tag_id', '=', tagId).where(among).execute();
  await trx.deleteFrom('withheld_tags').where('tag_id', '=', intoId).where(among).execute();
  await trx
    .insertInto('withheld_tags')
    .columns(['user_id', 'tag_id'])
    .expression(
      trx
        .selectFrom('users')
        .select(['id', sql<string>`${tagId}`.as('tag_id')])
        .where(dialectOf(trx).inList(sql.ref('id'), userIds)),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute();
  return new Set(had);
}
