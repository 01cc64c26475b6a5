import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { MergeEffect } from '../../contract/retagging.ts';
import type { ManagedTag } from '../../contract/tags.ts';
import { isInSets, loadTagCatalogue, type TagCatalogue } from '../access/audience.ts';
import { lockAccounts } from '../access/hold-rights.ts';
import { countMemberGroups, type MemberGroup } from '../access/user-counts.ts';
import { openInvitations } from '../accounts/invitations/read.ts';
import { replaceApprovedTag } from '../accounts/members/decide.ts';
import { countRows } from '../db/count-rows.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../db/transaction.ts';
import { recordHistory } from '../history/write.ts';
import { renameNewPostTag } from '../settings/new-post-tags.ts';
import { getManagedTag } from '../tags/read.ts';
import { effectOn } from './effect.ts';
import { movePosts, taggedPosts } from './move.ts';

type Merge = { tagId: string; intoId: string };

/**
 * Who would read more and less if posts and users had one tag in place of another. Throws not-found for a tag
 * that is not listed, and invalid-argument for one and the same.
 */
export async function previewTagMerge(
  reading: Pick<DbContext, 'db' | 'clock'>,
  catalogue: TagCatalogue,
  groups: readonly MemberGroup[],
  { tagId, intoId }: Merge,
): Promise<MergeEffect> {
  if (tagId === intoId) throw new AppError('invalid-argument', 'A tag cannot be merged into itself.');
  for (const id of [tagId, intoId])
    if (!catalogue.tags.get(id)?.isListed) throw new AppError('not-found', 'Tag not found.');
  const touched = catalogue.sets.filter(
    ({ tagIds, publishedCount }) => publishedCount > 0 && (tagIds.includes(tagId) || tagIds.includes(intoId)),
  );
  const changes = touched.map(({ tagIds, publishedCount }) => ({
    before: tagIds,
    after: mergedTags(tagIds, { tagId, intoId }),
    posts: publishedCount,
  }));
  const invited = openInvitations(reading)
    .innerJoin('invitation_tags', 'invitation_id', 'invitations.id')
    .where('tag_id', '=', tagId);
  const invitations = await countRows(invited);
  const audience = await effectOn(catalogue, groups, changes, { tagId, intoId });
  return { ...audience, invitations: Number(invitations) };
}

const mergedTags = (tagIds: readonly string[], { tagId, intoId }: Merge): readonly string[] =>
  tagIds.includes(tagId) ? [...new Set([...tagIds, intoId])].filter(id => id !== tagId) : tagIds;

/**
 * Merges a tag into another one, in one transaction: posts, users and invitations have the other instead, and
 * the tag leaves the list and the default tags. The other stays a default tag, or none, as it was. Throws
 * what the preview does, and aborted if the effect is no longer the one that the admin has seen.
 */
export async function mergeTag(context: WriteContext, merge: Merge, seen: MergeEffect): Promise<ManagedTag> {
  const { tagId, intoId } = merge;
  return await inTransaction(context, async trx => {
    // Accounts are locked before tags, as everywhere.
    const lockedHolders = new Set(await holdersOf(trx, tagId));
    await lockAccounts(trx, [...lockedHolders]);
    const tags = trx.selectFrom('tags').select(['id', 'name']).where('id', 'in', [tagId, intoId]);
    const locked = await dialectOf(trx).forUpdate(tags.orderBy('id')).execute();
    const nameOf = (id: string) => locked.find(tag => tag.id === id)?.name ?? '';
    // Settings are locked before posts, as where somebody opens one.
    await renameNewPostTag(trx, nameOf(tagId), nameOf(intoId));
    // The lock of the tag has waited for who gave it to somebody else meanwhile.
    const holders = await holdersOf(trx, tagId);
    const carrying = (await loadTagCatalogue(trx)).sets.filter(set => set.tagIds.includes(tagId));
    const posts = await taggedPosts(trx, isInSets(trx, sql.ref('tag_set_id'), carrying));
    // Counted once nobody can publish them: what was published while this waited counts, too.
    const catalogue = await loadTagCatalogue(trx);
    const reading = { db: trx, clock: context.clock };
    const effect = await previewTagMerge(reading, catalogue, await countMemberGroups(trx), merge);
    if (!isDeepStrictEqual(effect, seen) || holders.some(id => !lockedHolders.has(id)))
      throw new AppError(
        'aborted',
        'What the merge would open has changed in the meantime. Look at it again.',
      );
    await recordHistory(trx, context, {
      kind: 'tag-merged',
      thing: { id: tagId, name: nameOf(tagId) },
      after: nameOf(intoId),
    });
    await keepUnwanted(trx, merge, catalogue);
    await replaceApprovedTag(trx, context, holders, merge);
    await movePosts(trx, catalogue, posts, tagIds => mergedTags(tagIds, merge));
    await moveInvitations(trx, merge);
    await trx.deleteFrom('default_tags').where('tag_id', '=', tagId).execute();
    await trx.updateTable('tags').set({ is_listed: false }).where('id', '=', tagId).execute();
    return await getManagedTag(trx, intoId);
  });
}

async function holdersOf(trx: Kysely<Tables>, tagId: string): Promise<string[]> {
  const rows = trx.selectFrom('approved_tags').select('user_id').where('tag_id', '=', tagId);
  return (await rows.execute()).map(row => row.user_id);
}

/**
 * A reader of the tag who wanted no mails about it gets none about the other, unless they could read the
 * other before.
 */
async function keepUnwanted(
  trx: Kysely<Tables>,
  { tagId, intoId }: Merge,
  { defaultTagIds }: TagCatalogue,
): Promise<void> {
  if (defaultTagIds.has(intoId)) return;
  const holding = (id: string) => trx.selectFrom('approved_tags').select('user_id').where('tag_id', '=', id);
  const unwanted = trx
    .selectFrom('unwanted_tags')
    .select(['user_id', sql<string>`${intoId}`.as('tag_id')])
    .where('tag_id', '=', tagId)
    .where('user_id', 'not in', holding(intoId));
  const isDefault = defaultTagIds.has(tagId);
  await trx
    .insertInto('unwanted_tags')
    .columns(['user_id', 'tag_id'])
    .expression(isDefault ? unwanted : unwanted.where('user_id', 'in', holding(tagId)))
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

async function moveInvitations(trx: Kysely<Tables>, { tagId, intoId }: Merge): Promise<void> {
  const rows = trx.selectFrom('invitation_tags').select('invitation_id').where('tag_id', '=', tagId);
  const given = (await rows.execute()).map(({ invitation_id }) => ({ invitation_id, tag_id: intoId }));
  if (given.length === 0) return;
  await trx
    .insertInto('invitation_tags')
    .values(given)
    .onConflict(conflict => conflict.doNothing())
    .execute();
  await trx.deleteFrom('invitation_tags').where('tag_id', '=', tagId).execute();
}
