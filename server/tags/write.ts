import type { Kysely } from 'kysely';
import { tagKey } from '../access/audience.ts';
import type { Tables } from '../db/tables.ts';
import { createId } from '../id.ts';

/**
 * The ids of tags by name, made where they do not exist yet and listed again where they were deleted: a tag that is
 * used is in the tag list (decisions.md 4 and 5). Call within a transaction.
 */
export async function ensureTags(trx: Kysely<Tables>, names: readonly string[]): Promise<string[]> {
  const byKey = new Map(names.map(name => [tagKey(name), name]));
  const ids: string[] = [];
  // In one order everywhere, so that two writers who make the same tags wait for each other and never deadlock.
  for (const [key, name] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await trx
      .insertInto('tags')
      .values({ id: createId(), name, key, is_listed: true })
      .onConflict(conflict => conflict.column('key').doNothing())
      .execute();
    const tag = await trx
      .selectFrom('tags')
      .select(['id', 'is_listed'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    if (!tag.is_listed)
      await trx.updateTable('tags').set({ is_listed: true }).where('id', '=', tag.id).execute();
    ids.push(tag.id);
  }
  return ids;
}

/** The combination of these tags, made where no post has carried it yet. Call within a transaction. */
export async function ensureTagSet(trx: Kysely<Tables>, tagIds: readonly string[]): Promise<number> {
  const ids = [...new Set(tagIds)].sort();
  const key = ids.join();
  const known = await trx.selectFrom('tag_sets').select('id').where('key', '=', key).executeTakeFirst();
  if (known !== undefined) return known.id;
  const made = await trx
    .insertInto('tag_sets')
    .values({ key })
    .onConflict(conflict => conflict.column('key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made === undefined) {
    // Another process made it between the two statements.
    return (await trx.selectFrom('tag_sets').select('id').where('key', '=', key).executeTakeFirstOrThrow())
      .id;
  }
  if (ids.length > 0) {
    await trx
      .insertInto('tag_set_tags')
      .values(ids.map(tag_id => ({ tag_set_id: made.id, tag_id })))
      .execute();
  }
  return made.id;
}

/** Published posts of a combination have become more or fewer. Call within the transaction that changed them. */
export async function countPublished(
  trx: Kysely<Tables>,
  tagSetId: number,
  difference: number,
): Promise<void> {
  if (difference === 0) return;
  await trx
    .updateTable('tag_sets')
    .set(eb => ({ published_count: eb('published_count', '+', difference) }))
    .where('id', '=', tagSetId)
    .execute();
}
