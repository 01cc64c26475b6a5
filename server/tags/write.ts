import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { tagKey } from '../../contract/tag-name.ts';
import type { ManagedTag } from '../../contract/tags.ts';
import type { TagRef } from '../access/audience.ts';
import { createId } from '../base/id.ts';
import { dialectOf, isDuplicate } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { recordHistory } from '../history/write.ts';
import { renameNewPostTag } from '../settings/new-post-tags.ts';
import { getManagedTag } from './read.ts';

/**
 * The ids of tags by name, within a transaction. Missing tags are added and deleted ones restored, except
 * those that the post already carries: saving it again undoes no deletion (decisions 4 and 5).
 */
export async function ensureTags(
  trx: Kysely<Tables>,
  names: readonly string[],
  carried?: number,
): Promise<string[]> {
  const byKey = new Map(names.map(name => [tagKey(name), name]));
  if (byKey.size === 0) return [];
  const ids: string[] = [];
  const tags = trx.selectFrom('tags').select(['id', 'key', 'is_listed']);
  const known = await tags.where('key', 'in', [...byKey.keys()]).execute();
  // Always in the same order, so that two transactions that add the same tags cannot deadlock.
  for (const [key, name] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const tag = known.find(one => one.key === key) ?? (await insertTag(trx, key, name));
    if (!tag.is_listed) {
      // `= null` finds none: a new post keeps no deleted tag.
      const kept = trx
        .selectFrom('tag_set_tags')
        .select('tag_id')
        .where('tag_set_id', '=', carried ?? null);
      const restored = trx.updateTable('tags').set({ is_listed: true }).where('id', '=', tag.id);
      await restored.where('id', 'not in', kept).execute();
    }
    ids.push(tag.id);
  }
  return ids;
}

/** Adds a tag, unless another transaction has just added it. */
async function insertTag(trx: Kysely<Tables>, key: string, name: string) {
  await trx
    .insertInto('tags')
    .values({ id: createId(), name, key, is_listed: true })
    .onConflict(conflict => conflict.column('key').doNothing())
    .execute();
  const tag = trx.selectFrom('tags').select(['id', 'is_listed']).where('key', '=', key);
  return await tag.executeTakeFirstOrThrow();
}

export type SentTag = { name: string; sent: string };

/**
 * The tags that an author refers to. One sent with its id gets its current name: by its former name a renamed
 * tag would be added again, or another tag would be mistaken for it. Within a transaction nobody renames
 * these tags until it ends.
 */
export async function tagsByTheirIds(db: Kysely<Tables>, tags: readonly TagRef[]): Promise<SentTag[]> {
  const ids = tags.map(({ seenId }) => seenId).filter(id => id !== null);
  if (ids.length === 0) return tags.map(({ name }) => ({ name, sent: name }));
  const query = db.selectFrom('tags').select(['id', 'name']).where('id', 'in', ids).orderBy('id');
  const rows = await (db.isTransaction ? dialectOf(db).shared(query) : query).execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return tags.map(({ name: sent, seenId }) => ({ name: names.get(seenId ?? '') ?? sent, sent }));
}

/**
 * Adds a tag to the list. A deleted tag of that name is restored, with the posts and members that kept it
 * (decision 5). Returns it, and whether it existed before. Throws already-exists if it is listed.
 */
export async function addTag(
  context: WriteContext,
  name: string,
): Promise<{ tag: ManagedTag; isRestored: boolean }> {
  return await inTransaction(context, async trx => {
    const { id, isRestored } = await listTag(trx, name);
    await recordHistory(trx, context, { kind: 'tag-added', thing: { id, name } });
    return { tag: await getManagedTag(trx, id), isRestored };
  });
}

async function listTag(trx: Kysely<Tables>, name: string): Promise<{ id: string; isRestored: boolean }> {
  const key = tagKey(name);
  const made = await trx
    .insertInto('tags')
    .values({ id: createId(), name, key, is_listed: true })
    .onConflict(conflict => conflict.column('key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made !== undefined) return { id: made.id, isRestored: false };
  // The condition lets only one of two concurrent requests restore it.
  const restored = await trx
    .updateTable('tags')
    .set({ is_listed: true })
    .where('key', '=', key)
    .where('is_listed', '=', false)
    .returning('id')
    .executeTakeFirst();
  if (restored === undefined) throw await taken(trx, name);
  return { id: restored.id, isRestored: true };
}

/**
 * Renames a tag; posts and members keep it, because they refer to its id. Returns it. Throws not-found;
 * already-exists if another tag, even a deleted one, has the name in any case.
 */
export async function renameTag(context: WriteContext, id: string, name: string): Promise<ManagedTag> {
  try {
    return await inTransaction(context, async trx => {
      const key = tagKey(name);
      const before = await lockListedTag(trx, id);
      const other = await trx
        .selectFrom('tags')
        .select(['name', 'is_listed'])
        .where('key', '=', key)
        .where('id', '<>', id)
        .executeTakeFirst();
      if (other !== undefined) throw other.is_listed ? takenBy(other.name) : takenByDeleted(other.name);
      await trx.updateTable('tags').set({ name, key }).where('id', '=', id).execute();
      await renameNewPostTag(trx, before.name, name);
      await recordHistory(trx, context, {
        kind: 'tag-renamed',
        thing: { id, name },
        before: before.name,
        after: name,
      });
      return await getManagedTag(trx, id);
    });
  } catch (error) {
    // Another request used the name between the check and the update.
    throw isDuplicate(error) ? await taken(context.db, name) : error;
  }
}

/**
 * Removes a tag from the list and the pickers. Posts keep it, because dropping it could make a private post
 * public, and so do its members (decision 5). Invitations lose it, so new members do not get it. Throws
 * not-found for a tag that is not listed.
 */
export async function deleteTag(context: WriteContext, id: string): Promise<void> {
  await inTransaction(context, async trx => {
    const { name } = await lockListedTag(trx, id);
    await recordHistory(trx, context, { kind: 'tag-deleted', thing: { id, name } });
    await trx.updateTable('tags').set({ is_listed: false }).where('id', '=', id).execute();
    await trx.deleteFrom('invitation_tags').where('tag_id', '=', id).execute();
  });
}

async function lockListedTag(trx: Kysely<Tables>, id: string): Promise<{ name: string }> {
  const tag = await dialectOf(trx)
    .forUpdate(trx.selectFrom('tags').select(['name', 'is_listed']).where('id', '=', id))
    .executeTakeFirst();
  if (tag === undefined || !tag.is_listed) throw new AppError('not-found', 'Tag not found.');
  return tag;
}

/** The error for a taken name, in the spelling of the tag that has it. */
async function taken(db: Kysely<Tables>, name: string): Promise<AppError> {
  const tag = db.selectFrom('tags').select('name').where('key', '=', tagKey(name));
  return takenBy((await tag.executeTakeFirst())?.name ?? name);
}

function takenBy(name: string): AppError {
  return new AppError('already-exists', `There is already a tag called “${name}”.`);
}

function takenByDeleted(name: string): AppError {
  return new AppError(
    'already-exists',
    `A deleted tag is called “${name}”. Add it again, or choose another name.`,
  );
}

/** The id of the combination of these tags, added if no post has carried it yet. Within a transaction. */
export async function ensureTagSet(trx: Kysely<Tables>, tagIds: readonly string[]): Promise<number> {
  const ids = [...new Set(tagIds)].sort();
  const key = ids.join();
  const withKey = trx.selectFrom('tag_sets').select('id').where('key', '=', key);
  // Held until a post has it, so that no sweep deletes it.
  const known = await dialectOf(trx).referred(withKey).executeTakeFirst();
  if (known !== undefined) return known.id;
  const made = await trx
    .insertInto('tag_sets')
    .values({ key })
    .onConflict(conflict => conflict.column('key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made === undefined) {
    // Another process added it between the two statements, and may have deleted it again.
    return (await dialectOf(trx).referred(withKey).executeTakeFirst())?.id ?? (await ensureTagSet(trx, ids));
  }
  if (ids.length > 0) {
    await trx
      .insertInto('tag_set_tags')
      .values(ids.map(tag_id => ({ tag_set_id: made.id, tag_id })))
      .execute();
  }
  return made.id;
}

/**
 * Updates the counts when a published post moves from one combination to another; null for none. The rows are
 * updated in the order of their ids, so that two transactions that move posts in opposite directions cannot
 * deadlock. Within the transaction that moves the post.
 */
export async function movePublished(
  trx: Kysely<Tables>,
  from: number | null,
  to: number | null,
): Promise<void> {
  if (from === to) return;
  const changes = [
    { id: from, difference: -1 },
    { id: to, difference: 1 },
  ].flatMap(({ id, difference }) => (id === null ? [] : { id, difference }));
  for (const { id, difference } of changes.sort((a, b) => a.id - b.id)) {
    await changePublishedCount(trx, id, difference);
  }
}

/** Updates the count of published posts of a combination, within the transaction that changed them. */
export async function changePublishedCount(
  trx: Kysely<Tables>,
  tagSetId: number,
  difference: number,
): Promise<void> {
  await trx
    .updateTable('tag_sets')
    .set(eb => ({ published_count: eb('published_count', '+', difference) }))
    .where('id', '=', tagSetId)
    .execute();
}
