import { sql } from 'kysely';
import { openingsShownFrom } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { mayEdit } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';

/**
 * About how often these posts were opened, of those that the viewer may edit: no exact number is revealed,
 * and small ones are left out.
 */
export async function getOpenings(
  { db, settings }: ReadContext,
  viewer: Viewer,
  postIds: readonly string[],
): Promise<Output<'getOpenings'>> {
  if ((await settings()).countsOpenings === 'false') return { isCounted: false, counts: [] };
  const rows = await db
    .selectFrom('openings')
    .innerJoin('posts', 'posts.id', 'openings.post_id')
    .select(['openings.post_id', 'openings.times', 'posts.author_id'])
    .where(dialectOf(db).inList(sql.ref('openings.post_id'), postIds))
    .where('openings.times', '>=', openingsShownFrom)
    .execute();
  const own = rows.filter(row => mayEdit(viewer, row.author_id));
  return {
    isCounted: true,
    counts: own.map(({ post_id, times }) => ({ postId: post_id, times: stepBelow(times) })),
  };
}

/** The highest of 10, 20, 50, 100, 200, 500 and so on that a number has reached. */
function stepBelow(times: number): number {
  const power = 10 ** (String(times).length - 1);
  return power * (times >= 5 * power ? 5 : times >= 2 * power ? 2 : 1);
}
