import { postsPerPage } from '../../contract/constants.ts';
import type { TagSet } from '../access/audience.ts';
import { encodeCursor, selectPage } from '../db/page.ts';
import type { CacheDeps } from './caches.ts';

/** Posts of one step. Walking past fewer than this costs less than looking steps up. */
const stepPosts = 1_000;
/** Steps that are counted for one page: so none waits for many after the timeline has changed, however deep it lies. */
const newSteps = 4;

/**
 * So many posts that follow each other in the timeline: the ids of their combinations of tags, each followed by how many posts
 * carry it, and the cursor of the last post; null where the timeline ends before.
 */
export type TimelineStep = { counts: Uint32Array; end: string | null };

/** A place in the timeline: so many readable posts past a cursor, or past its beginning. */
type Place = { after: string | undefined; offset: number };

/**
 * The place so many readable posts past the beginning of the timeline, with only the last few of them left to be walked past. Without
 * it page 1,000 walks past 10,000 posts that its reader may read, and past all between them. The steps hold nothing of
 * anybody's rights: readers of any combinations share them, until the timeline changes.
 */
export async function placeInTimeline(
  deps: Pick<CacheDeps, 'db' | 'postCaches'>,
  sets: readonly TagSet[],
  offset: number,
): Promise<Place> {
  const place: Place = { after: undefined, offset };
  if (offset < stepPosts) return place;
  const ids = new Set(sets.map(set => set.id));
  let counted = 0;
  while (place.offset >= postsPerPage && counted < newSteps) {
    const { after } = place;
    const step = await deps.postCaches.steps.get(after ?? '', async madeFrom => {
      counted += 1;
      madeFrom('timeline');
      return await readStep(deps, after);
    });
    const readable = countIn(step, ids);
    if (step.end === null || readable > place.offset) break;
    place.after = step.end;
    place.offset -= readable;
  }
  return place;
}

function countIn({ counts }: TimelineStep, sets: ReadonlySet<number>): number {
  let sum = 0;
  for (let at = 0; at < counts.length; at += 2) if (sets.has(counts[at] ?? 0)) sum += counts[at + 1] ?? 0;
  return sum;
}

async function readStep({ db }: Pick<CacheDeps, 'db'>, after: string | undefined): Promise<TimelineStep> {
  const published = db
    .selectFrom('posts')
    .select(['posts.id', 'posts.published_at as sorted_at', 'posts.tag_set_id'])
    .where('posts.published_at', 'is not', null);
  const columns = ['posts.published_at', 'posts.id'] as const;
  // It finds one row more than it is asked for.
  const posts = selectPage(published, { columns, direction: 'desc', after, limit: stepPosts - 1 });
  const counts = await db
    .selectFrom(posts.as('step'))
    .select(['tag_set_id', eb => eb.fn.countAll<number>().as('count')])
    .groupBy('tag_set_id')
    .execute();
  const last = await posts
    .limit(1)
    .offset(stepPosts - 1)
    .executeTakeFirst();
  return {
    counts: Uint32Array.from(counts.flatMap(row => [row.tag_set_id, row.count])),
    end: last === undefined ? null : encodeCursor({ sortedBy: last.sorted_at ?? 0, id: last.id }),
  };
}
