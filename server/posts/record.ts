import type { Kysely } from 'kysely';
import type { Viewer } from '../access/viewer.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import type { WriteContext } from '../db/transaction.ts';
import { differenceOfTags, recordHistory } from '../history/write.ts';

type By = Pick<WriteContext, 'by' | 'clock'>;

/** Records which tags the save of a published post has given to it and taken from it. */
export async function recordRetagging(
  trx: Kysely<Tables>,
  context: By,
  { id, tag_set_id }: Pick<PostRow, 'id' | 'tag_set_id'>,
  tagIds: readonly string[],
): Promise<void> {
  const carried = trx.selectFrom('tag_set_tags').select('tag_id').where('tag_set_id', '=', tag_set_id);
  const before = (await carried.execute()).map(row => row.tag_id);
  const difference = await differenceOfTags(trx, before, tagIds);
  const thing = { id, name: '' };
  await recordHistory(trx, context, { kind: 'posts-retagged', posts: 1, thing, ...difference });
}

/** Records who deleted a post. Nobody asks later for a draft that its author has deleted. */
export async function recordDeletion(
  trx: Kysely<Tables>,
  context: By,
  viewer: Viewer,
  id: string,
): Promise<void> {
  const { title, author_id, published_at } = await trx
    .selectFrom('posts')
    .select(['title', 'author_id', 'published_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (published_at === null && author_id === viewer.user?.id) return;
  await recordHistory(trx, context, {
    kind: 'post-deleted',
    thing: { id, name: title ?? '' },
    ...(author_id !== null && { user: author_id }),
  });
}
