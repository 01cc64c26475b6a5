import { sql } from 'kysely';
import type { Input, Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { listedPosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { dateOf, type Month, monthsBetween, type Span, spanOf } from '../base/calendar.ts';
import { dialectOf } from '../db/dialect.ts';
import { pageOf } from '../db/page.ts';
import { readTitled, titledPost } from './titles.ts';

const titlesPerPage = 100;

type MonthCount = Month & { count: number };

/**
 * How many posts of the timeline the viewer may read, by year and month of the site's calendar, and the
 * titles of a year or month, a page at a time. Throws invalid-argument for an invalid cursor.
 */
export async function getArchive(
  deps: ReadContext,
  viewer: Viewer,
  { year: asked, month, after }: Input<'getArchive'>,
): Promise<Output<'getArchive'>> {
  const { timeZone } = await deps.settings();
  const counts = await countByMonth(deps, viewer);
  const year = asked ?? counts[0]?.year ?? null;
  const titles =
    year === null
      ? { posts: [], nextCursor: null }
      : await listTitles(deps, viewer, spanOf(year, month ?? undefined, timeZone), after);
  return {
    years: yearsOf(counts),
    year,
    months: counts.filter(each => each.year === year).map(({ month, count }) => ({ month, count })),
    ...titles,
  };
}

/** The months with posts, newest first. */
async function countByMonth(deps: ReadContext, viewer: Viewer): Promise<MonthCount[]> {
  const { db } = deps;
  const { timeZone } = await deps.settings();
  const ends = await db
    .selectFrom('posts')
    .select(({ fn }) => [fn.min('published_at').as('first'), fn.max('published_at').as('last')])
    .where('published_at', 'is not', null)
    .executeTakeFirst();
  if (ends === undefined || ends.first === null || ends.last === null) return [];
  const months = monthsBetween(ends.first, ends.last, timeZone);
  const starts = [...months.map(({ from }) => from), months.at(-1)?.until ?? 0];
  const listed = await listedPosts(deps, viewer);
  const counts = await dialectOf(db).countBetween(db, listed, sql.ref('posts.published_at'), starts);
  return months
    .map((month, place) => ({ ...month, count: counts[place] ?? 0 }))
    .filter(({ count }) => count > 0)
    .reverse();
}

function yearsOf(months: readonly MonthCount[]): Output<'getArchive'>['years'] {
  const counts = new Map<number, number>();
  for (const { year, count } of months) counts.set(year, (counts.get(year) ?? 0) + count);
  return [...counts].map(([year, count]) => ({ year, count }));
}

async function listTitles(
  deps: ReadContext,
  viewer: Viewer,
  { from, until }: Span,
  after: string | null | undefined,
): Promise<Pick<Output<'getArchive'>, 'posts' | 'nextCursor'>> {
  const style = await deps.settings();
  const listed = (await listedPosts(deps, viewer))
    .where('posts.published_at', '>=', from)
    .where('posts.published_at', '<', until);
  const found = await readTitled(deps.db, listed, { direction: 'desc', after, limit: titlesPerPage });
  const { rows, nextCursor } = pageOf(found, titlesPerPage, row => ({
    sortedBy: row.publishedAt,
    id: row.id,
  }));
  const posts = rows.map(row => {
    const { month, day } = dateOf(row.publishedAt, style.timeZone);
    return { ...titledPost(row, style), month, day };
  });
  return { posts, nextCursor };
}
