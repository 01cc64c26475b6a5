import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';

/** The ids of the tags that an account has been allowed beside the default ones. */
export async function approvedTagsOf(trx: Kysely<Tables>, userId: string): Promise<string[]> {
  const rows = await trx.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId).execute();
  return rows.map(row => row.tag_id);
}

/** Replaces the approved tags of an account. Remembers those that it takes, so that nobody but an admin gives them back. */
export async function replaceApprovedTags(
  trx: Kysely<Tables>,
  userId: string,
  current: readonly string[],
  tagIds: readonly string[],
): Promise<void> {
  const rowsOf = (ids: readonly string[]) => [...new Set(ids)].map(tag_id => ({ user_id: userId, tag_id }));
  await trx.deleteFrom('approved_tags').where('user_id', '=', userId).execute();
  const given = rowsOf(tagIds);
  if (given.length > 0) await trx.insertInto('approved_tags').values(given).execute();
  const taken = rowsOf(current.filter(id => !tagIds.includes(id)));
  await trx
    .deleteFrom('withheld_tags')
    .where('user_id', '=', userId)
    .where('tag_id', 'in', eb =>
      eb.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId),
    )
    .execute();
  if (taken.length === 0) return;
  await trx
    .insertInto('withheld_tags')
    .values(taken)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every(id => b.has(id));
}
