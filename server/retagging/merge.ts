import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { MergeEffect } from '../../contract/retagging.ts';
import type { ManagedTag } from '../../contract/tags.ts';
import {
  isInSets,
  loadTagCatalogue,
  mayRead,
  readersAmong,
  type TagCatalogue,
  type TagSet,
} from '../access/audience.ts';
import { holdersAmong } from '../access/effects.ts';
import { lockAccount } from '../access/hold-rights.ts';
import { countMemberGroups, type MemberGroup } from '../access/user-counts.ts';
import { visitor } from '../access/viewer.ts';
import { openInvitations } from '../accounts/invitations/read.ts';
import { replaceApprovedTag } from '../accounts/members/decide.ts';
import { dialectOf } from '../db/dialect.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../db/transaction.ts';
import { recordHistory } from '../history/write.ts';
import { indexMissing } from '../search/index-posts.ts';
import { getManagedTag } from '../tags/read.ts';
import { changePublishedCount, ensureTagSet } from '../tags/write.ts';

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
  const { defaultTagIds } = catalogue;
  const touched = catalogue.sets.filter(
    ({ tagIds, publishedCount }) => publishedCount > 0 && (tagIds.includes(tagId) || tagIds.includes(intoId)),
  );
  const isOpen = (tagIds: readonly string[]) =>
    mayRead(visitor(defaultTagIds), { isPublished: true, tagIds });
  const after = (set: TagSet) => mergedTags(set, { tagId, intoId });
  const gained = touched.filter(set => !isOpen(set.tagIds) && isOpen(after(set)));
  const lost = touched.filter(set => isOpen(set.tagIds) && !isOpen(after(set)));
  const closed = touched.filter(set => !isOpen(set.tagIds) && !isOpen(after(set)));
  const holders = await holdersAmong(groups, [
    ...new Set([tagId, intoId, ...closed.flatMap(set => set.tagIds)]),
  ]);
  const either = (holders.get(intoId) ?? 0n) | (holders.get(tagId) ?? 0n);
  const holdersAfter = new Map(holders).set(intoId, either);
  const newReaders = (set: TagSet) =>
    readersAmong(holdersAfter, after(set), defaultTagIds) & ~readersAmong(holders, set.tagIds, defaultTagIds);
  const opened = closed.filter(set => newReaders(set) !== 0n);
  const gaining = opened.reduce((all, set) => all | newReaders(set), 0n);
  const { invitations } = await openInvitations(reading)
    .innerJoin('invitation_tags', 'invitation_id', 'invitations.id')
    .select(({ fn }) => fn.countAll<number>().as('invitations'))
    .where('tag_id', '=', tagId)
    .executeTakeFirstOrThrow();
  return {
    visitors: { gained: countPosts(gained), lost: countPosts(lost) },
    members: { gained: countPosts(opened), members: countMembers(groups, gaining) },
    invitations: Number(invitations),
  };
}

function mergedTags({ tagIds }: Pick<TagSet, 'tagIds'>, { tagId, intoId }: Merge): readonly string[] {
  return tagIds.includes(tagId) ? [...new Set([...tagIds, intoId])].filter(id => id !== tagId) : tagIds;
}

const countPosts = (sets: readonly TagSet[]) => sets.reduce((sum, set) => sum + set.publishedCount, 0);

/** The members of the groups whose bits are set. */
function countMembers(groups: readonly MemberGroup[], bits: bigint): number {
  const places = [...bits.toString(2)].reverse();
  return groups.reduce((sum, { members }, place) => sum + (places[place] === '1' ? members : 0), 0);
}

/**
 * Merges a tag into another one, in one transaction: posts, users and invitations have the other instead, and
 * the tag leaves the list and the default tags. The other stays a default tag, or none, as it was. Throws
 * what the preview does, and aborted if the effect is no longer the one that the admin has seen.
 */
export async function mergeTag(context: WriteContext, merge: Merge, seen: MergeEffect): Promise<ManagedTag> {
  const { tagId, intoId } = merge;
  const tag = await inTransaction(context, async trx => {
    // Accounts are locked before tags, as everywhere.
    const holders = trx.selectFrom('approved_tags').select('user_id').where('tag_id', '=', tagId);
    const held = await holders.orderBy('user_id').execute();
    for (const { user_id } of held) await lockAccount(trx, user_id);
    const tags = trx.selectFrom('tags').select(['id', 'name']).where('id', 'in', [tagId, intoId]);
    const locked = await dialectOf(trx).forUpdate(tags.orderBy('id')).execute();
    const posts = await lockPosts(trx, merge);
    // Counted once nobody can publish them: what was published while this waited counts, too.
    const catalogue = await loadTagCatalogue(trx);
    const reading = { db: trx, clock: context.clock };
    const effect = await previewTagMerge(reading, catalogue, await countMemberGroups(trx), merge);
    if (!isDeepStrictEqual(effect, seen))
      throw new AppError(
        'aborted',
        'What the merge would open has changed in the meantime. Look at it again.',
      );
    const nameOf = (id: string) => locked.find(tag => tag.id === id)?.name ?? '';
    await recordHistory(trx, context, {
      kind: 'tag-merged',
      thing: { id: tagId, name: nameOf(tagId) },
      after: nameOf(intoId),
    });
    await keepUnwanted(trx, merge);
    for (const { user_id } of held) await replaceApprovedTag(trx, context, user_id, merge);
    await movePosts(trx, catalogue, posts, merge);
    await moveInvitations(trx, merge);
    await trx.deleteFrom('default_tags').where('tag_id', '=', tagId).execute();
    await trx.updateTable('tags').set({ is_listed: false }).where('id', '=', tagId).execute();
    return await getManagedTag(trx, intoId);
  });
  // Thousands of texts take seconds: afterwards, so that nobody waits for the locks of the merge.
  await indexMissing(context.db);
  return tag;
}

type MovedPost = Pick<PostRow, 'id' | 'tag_set_id' | 'published_at'>;

/** Locks the posts and drafts that have the tag. */
async function lockPosts(trx: Kysely<Tables>, { tagId }: Merge): Promise<MovedPost[]> {
  const sets = (await loadTagCatalogue(trx)).sets.filter(({ tagIds }) => tagIds.includes(tagId));
  const posts = trx.selectFrom('posts').select(['id', 'tag_set_id', 'published_at']);
  const carrying = posts.where(isInSets(trx, sql.ref('tag_set_id'), sets)).orderBy('id');
  return await dialectOf(trx).forUpdate(carrying).execute();
}

/**
 * Gives posts and drafts their new combinations, and takes them out of the search index. A save that was
 * begun before is refused by the version.
 */
async function movePosts(
  trx: Kysely<Tables>,
  catalogue: TagCatalogue,
  posts: readonly MovedPost[],
  merge: Merge,
): Promise<void> {
  const differences = new Map<number, number>();
  for (const [from, moved] of Map.groupBy(posts, post => post.tag_set_id)) {
    const to = await ensureTagSet(trx, mergedTags({ tagIds: catalogue.tagIdsIn(from) }, merge));
    const ids = moved.map(({ id }) => id);
    await trx
      .updateTable('posts')
      .set(eb => ({ tag_set_id: to, version: eb('version', '+', 1) }))
      .where(dialectOf(trx).inList(sql.ref('id'), ids))
      .execute();
    const published = moved.filter(post => post.published_at !== null).length;
    differences.set(from, (differences.get(from) ?? 0) - published);
    differences.set(to, (differences.get(to) ?? 0) + published);
  }
  // In the order of their ids, so that no two transactions deadlock.
  for (const [id, difference] of [...differences].sort(([a], [b]) => a - b))
    await changePublishedCount(trx, id, difference);
  await dialectOf(trx).postSearch.remove(
    trx,
    posts.map(({ id }) => id),
  );
}

/** A user who gets the other tag by the merge, and wanted no mails about the first, gets none about it. */
async function keepUnwanted(trx: Kysely<Tables>, { tagId, intoId }: Merge): Promise<void> {
  const holding = (id: string) => trx.selectFrom('approved_tags').select('user_id').where('tag_id', '=', id);
  const rows = await trx
    .selectFrom('unwanted_tags')
    .select('user_id')
    .where('tag_id', '=', tagId)
    .where('user_id', 'in', holding(tagId))
    .where('user_id', 'not in', holding(intoId))
    .execute();
  if (rows.length === 0) return;
  await trx
    .insertInto('unwanted_tags')
    .values(rows.map(({ user_id }) => ({ user_id, tag_id: intoId })))
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
