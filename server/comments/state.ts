import { type Kysely, sql } from 'kysely';
import { dayMs } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';

/** What an open page knows of the comments of a post as a whole. */
export type CommentsState = {
  /** Rises with each change of its comments. */
  version: number;
  /** From when on the post takes no more comments, in milliseconds: 0 if by hand, null for no such time. */
  closedAt: number | null;
};

export const noComments: CommentsState = { version: 0, closedAt: null };

/** The states of these posts. The caller has checked, or checks afterwards, the right to read the posts. */
export async function statesOf(
  db: Kysely<Tables>,
  postIds: readonly string[],
): Promise<ReadonlyMap<string, CommentsState>> {
  if (postIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('posts')
    .select(['id', 'comments_version', 'comments_closed', 'published_at'])
    .select(eb =>
      eb.selectFrom('settings').select('value').where('name', '=', 'comments-close-after').as('close_after'),
    )
    .where(dialectOf(db).inList(sql.ref('id'), postIds))
    .execute();
  return new Map(
    rows.map(({ id, comments_version: version, comments_closed, published_at, close_after }) => {
      const days = closeAfterDays(close_after);
      const byAge = days === null || published_at === null ? null : published_at + days * dayMs;
      // Closed by hand is closed whatever the clock says, also one that is set back.
      const closedAt = comments_closed ? 0 : byAge;
      return [id, { version, closedAt }];
    }),
  );
}

export async function stateOf(db: Kysely<Tables>, postId: string): Promise<CommentsState> {
  return (await statesOf(db, [postId])).get(postId) ?? noComments;
}

/** The setting as it is stored: a number of days, or nothing. */
export function closeAfterDays(value: string | null | undefined): number | null {
  return value ? Number(value) : null;
}
