import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Subscription } from '../../../contract/accounts/account.ts';
import type { ReadContext } from '../../access/context.ts';
import { accountOf, type Viewer } from '../../access/viewer.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { listTags } from '../../tags/read.ts';

/** Lists visible tags with the mail preference of each. */
export async function listWantedTags(
  { db, catalogue }: ReadContext,
  viewer: Viewer,
): Promise<Subscription['tags']> {
  const rows = await db
    .selectFrom('unwanted_tags')
    .select('tag_id')
    .where('user_id', '=', accountOf(viewer).id)
    .execute();
  const unwanted = new Set(rows.map(row => row.tag_id));
  return listTags(await catalogue(), viewer).map(({ id, name }) => ({
    id,
    name,
    isWanted: !unwanted.has(id),
  }));
}

/**
 * Sets whether the viewer wants mails and notifications of posts with a tag. A tag that they do not see is
 * ignored, as if there were none.
 */
export async function setWantedTag(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  { id, isWanted }: { id: string; isWanted: boolean },
): Promise<void> {
  const row = { user_id: accountOf(viewer).id, tag_id: id };
  const isSeen = listTags(await context.catalogue(), viewer).some(tag => tag.id === id);
  if (!isSeen) return;
  await inTransaction(context, async trx => {
    const tags = trx.insertInto('unwanted_tags').values(row);
    if (!isWanted) await tags.onConflict(conflict => conflict.doNothing()).execute();
    else
      await trx
        .deleteFrom('unwanted_tags')
        .where('user_id', '=', row.user_id)
        .where('tag_id', '=', row.tag_id)
        .execute();
  });
}

/** Whether a post is new to a subscriber: they were not told about it, and want its tags. */
export function isNewsFor(
  db: Kysely<Tables>,
  userId: string,
  postId: Expression<string>,
): Expression<SqlBool> {
  const told = db
    .selectFrom('told_posts')
    .select('told_posts.post_id')
    .where('told_posts.post_id', '=', postId)
    .where('told_posts.user_id', '=', userId);
  return sql<SqlBool>`(not exists ${told} and not ${isUnwanted(db, userId, postId)})`;
}

/** Whether a post has a tag that somebody does not want. */
export function isUnwanted(
  db: Kysely<Tables>,
  userId: string,
  postId: Expression<string>,
): Expression<SqlBool> {
  const unwanted = db
    .selectFrom('posts as tagged')
    .innerJoin('tag_set_tags', 'tag_set_tags.tag_set_id', 'tagged.tag_set_id')
    .innerJoin('unwanted_tags', 'unwanted_tags.tag_id', 'tag_set_tags.tag_id')
    .select('tagged.id')
    .where('tagged.id', '=', postId)
    .where('unwanted_tags.user_id', '=', userId);
  return sql<SqlBool>`exists ${unwanted}`;
}
