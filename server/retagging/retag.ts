import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { tagsPerPost } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import type { Output } from '../../contract/operations.ts';
import type { Retag, RetagEffect } from '../../contract/retagging.ts';
import { inAlphabeticalOrder } from '../../contract/text.ts';
import { catalogueOf, loadTagCatalogue, type TagCatalogue } from '../access/audience.ts';
import type { MemberContext } from '../access/effects.ts';
import { countMemberGroups, type MemberGroup } from '../access/user-counts.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { recordHistory } from '../history/write.ts';
import { effectOn } from './effect.ts';
import { movePosts, type TaggedPost, taggedPosts } from './move.ts';

/**
 * Who would read more and less if these posts had other tags, and the tags that they have. Posts that are
 * deleted are left out. Throws not-found for adding a tag that is not listed, and invalid-argument for more
 * tags than a post may have.
 */
export async function previewRetag(deps: MemberContext, retag: Retag): Promise<Output<'previewRetag'>> {
  const posts = await findPosts(deps.db, retag);
  const catalogue = await catalogueOf(deps.db, await deps.catalogue(), posts);
  return {
    postCount: posts.length,
    tags: tagsOf(catalogue, posts),
    effect: await effectOfRetag(catalogue, await deps.memberGroups(), posts, retag),
  };
}

const findPosts = (db: Kysely<Tables>, { postIds }: Retag) =>
  taggedPosts(db, dialectOf(db).inList(sql.ref('id'), postIds));

/** The tags of these posts by name, with how many have each. */
function tagsOf(catalogue: TagCatalogue, posts: readonly TaggedPost[]): Output<'previewRetag'>['tags'] {
  const counts = new Map<string, number>();
  for (const { tag_set_id } of posts)
    for (const id of catalogue.tagIdsIn(tag_set_id)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts]
    .map(([id, postCount]) => {
      const { name = '', isListed = false } = catalogue.tags.get(id) ?? {};
      return { id, name, isListed, postCount };
    })
    .sort((a, b) => inAlphabeticalOrder(a.name, b.name));
}

async function effectOfRetag(
  catalogue: TagCatalogue,
  groups: readonly MemberGroup[],
  posts: readonly TaggedPost[],
  retag: Retag,
): Promise<RetagEffect> {
  refuseChange(catalogue, retag);
  const sets = [...Map.groupBy(posts, post => post.tag_set_id)].map(([id, some]) => {
    const before = catalogue.tagIdsIn(id);
    const published = some.filter(post => post.published_at !== null).length;
    return { before, after: retagged(before, retag), posts: published, drafts: some.length - published };
  });
  // A post with more than that, as an import can bring it, may lose some of them.
  const tooMany = sets.filter(({ before, after }) => after.length > Math.max(tagsPerPost, before.length));
  if (tooMany.length > 0) {
    const count = tooMany.reduce((sum, { posts, drafts }) => sum + posts + drafts, 0);
    throw new AppError(
      'invalid-argument',
      `A post has at most ${tagsPerPost} tags; ${count === 1 ? '1 post' : `${count} posts`} would have more.`,
    );
  }
  const untagged = sets.filter(({ before, after }) => before.length > 0 && after.length === 0);
  return {
    ...(await effectOn(
      catalogue,
      groups,
      sets.filter(({ posts }) => posts > 0),
    )),
    untagged: {
      published: untagged.reduce((sum, { posts }) => sum + posts, 0),
      drafts: untagged.reduce((sum, { drafts }) => sum + drafts, 0),
    },
  };
}

function refuseChange({ tags }: TagCatalogue, { addedTagIds, removedTagIds }: Retag): void {
  for (const id of addedTagIds)
    if (!tags.get(id)?.isListed) throw new AppError('not-found', 'Tag not found.');
  if (addedTagIds.some(id => removedTagIds.includes(id)))
    throw new AppError('invalid-argument', 'The same tag cannot be added and removed.');
}

const retagged = (tagIds: readonly string[], { addedTagIds, removedTagIds }: Retag): readonly string[] =>
  [...new Set([...tagIds, ...addedTagIds])].filter(id => !removedTagIds.includes(id));

const isChanged = (tagIds: readonly string[], { addedTagIds, removedTagIds }: Retag) =>
  addedTagIds.some(id => !tagIds.includes(id)) || removedTagIds.some(id => tagIds.includes(id));

/**
 * Adds and removes tags of posts, in one transaction, and returns how many have other tags than before.
 * Nobody is mailed. Throws what the preview does, and aborted if the effect is no longer the one that the
 * admin has seen.
 */
export async function retagPosts(context: WriteContext, retag: Retag, seen: RetagEffect): Promise<number> {
  return await inTransaction(context, async trx => {
    // Before the posts, as a merge does: nobody deletes or merges them until this ends.
    const added = trx
      .selectFrom('tags')
      .select('id')
      .where('id', 'in', [...retag.addedTagIds, '']);
    await dialectOf(trx).shared(added.orderBy('id')).execute();
    const posts = await findPosts(trx, retag);
    const catalogue = await loadTagCatalogue(trx);
    const effect = await effectOfRetag(catalogue, await countMemberGroups(trx), posts, retag);
    if (!isDeepStrictEqual(effect, seen))
      throw new AppError(
        'aborted',
        'What the change opens and closes has changed in the meantime. Look at it again.',
      );
    const moved = posts.filter(({ tag_set_id }) => isChanged(catalogue.tagIdsIn(tag_set_id), retag));
    if (moved.length === 0) return 0;
    const named = (ids: readonly string[]) =>
      [...new Set(ids)].flatMap(id => catalogue.tags.get(id) ?? []).map(({ id, name }) => ({ id, name }));
    await recordHistory(trx, context, {
      kind: 'posts-retagged',
      posts: moved.length,
      gave: named(retag.addedTagIds),
      took: named(retag.removedTagIds),
    });
    await movePosts(trx, catalogue, moved, tagIds => retagged(tagIds, retag));
    return moved.length;
  });
}
