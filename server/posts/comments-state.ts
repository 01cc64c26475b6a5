import { sql } from 'kysely';
import type { ReadContext } from '../access/context.ts';
import { dayMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';

/** The state of a post's comments as an open page tracks it. */
export type CommentsState = {
  /** Rises with each change of the comments. */
  version: number;
  /** When the post closes to comments, in milliseconds: 0 if closed by hand, null for never. */
  closedAt: number | null;
};

export const noComments: CommentsState = { version: 0, closedAt: null };

/** The states of these posts. The caller has checked, or checks afterwards, the right to read the posts. */
export async function statesOf(
  { db, settings }: Pick<ReadContext, 'db' | 'settings'>,
  postIds: readonly string[],
): Promise<ReadonlyMap<string, CommentsState>> {
  if (postIds.length === 0) return new Map();
  const { commentsCloseAfter } = await settings();
  const closesAfterMs = commentsCloseAfter === 'never' ? null : Number(commentsCloseAfter) * dayMs;
  const rows = await db
    .selectFrom('posts')
    .leftJoin('announcements', 'announcements.post_id', 'posts.id')
    .select(['id', 'comments_version', 'comments_closed', 'published_at'])
    .select(['posts.created_at', 'announcements.created_at as announced_at', 'is_repeat', 'first_at'])
    .where(dialectOf(db).inList(sql.ref('id'), postIds))
    .execute();
  return new Map(
    rows.map(({ id, comments_version: version, comments_closed, ...dates }) => {
      const { published_at, created_at } = dates;
      // Its date may be long before it was published (docs/decisions/0046-the-date-of-photos.md). That more
      // people are told of it later opens no comments again.
      const announced = dates.is_repeat ? dates.first_at : dates.announced_at;
      const newest = published_at && Math.max(published_at, created_at, announced ?? 0);
      const byAge = closesAfterMs === null || newest === null ? null : newest + closesAfterMs;
      // A post closed by hand is closed whatever the clock says, even a clock that was set back.
      const closedAt = comments_closed ? 0 : byAge;
      return [id, { version, closedAt }];
    }),
  );
}

export async function stateOf(
  deps: Pick<ReadContext, 'db' | 'settings'>,
  postId: string,
): Promise<CommentsState> {
  return (await statesOf(deps, [postId])).get(postId) ?? noComments;
}
