import { sql } from 'kysely';
import type { Input, Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { listedPosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { yearsOf } from '../access/years.ts';
import { dateOf, type Span, spanOf } from '../base/calendar.ts';
import { dialectOf } from '../db/dialect.ts';
import { pageOf } from '../db/page.ts';
import { readTitled, titledPost } from './titles.ts';

const titlesPerPage = 100;

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
  const years = await countByYear(deps, viewer);
  const year = asked ?? years[0]?.year ?? null;
  const titles =
    year === null
      ? { posts: [], nextCursor: null }
      : await listTitles(deps, viewer, spanOf(year, month ?? undefined, timeZone), after);
  return {
    years,
    year,
    // Others have none, and there may be a thousand years.
    months: years.some(each => each.year === year) ? await countByMonth(deps, viewer, year ?? 0) : [],
    ...titles,
  };
}

type Counted = Output<'getArchive'>;

/** The years with posts, newest first. */
async function countByYear(deps: ReadContext, viewer: Viewer): Promise<Counted['years']> {
  const { timeZone } = await deps.settings();
  const sets = (await deps.catalogue()).readableSets(viewer);
  const years = (await yearsOf(deps.db, sets, timeZone)).reverse();
  const spans = years.map(year => ({ year, ...spanOf(year, undefined, timeZone) }));
  const counted = await countIn(deps, viewer, spans);
  return counted.map(({ year, count }) => ({ year, count }));
}

/** The months of a year with posts, newest first. */
async function countByMonth(deps: ReadContext, viewer: Viewer, year: number): Promise<Counted['months']> {
  const { timeZone } = await deps.settings();
  const months = Array.from({ length: 12 }, (_, index) => index + 1);
  const spans = months.map(month => ({ month, ...spanOf(year, month, timeZone) }));
  const counted = await countIn(deps, viewer, spans);
  return counted.map(({ month, count }) => ({ month, count }));
}

/** Those of these spans that have posts, the last one first. Each begins where the one before ends. */
async function countIn<One extends Span>(
  deps: ReadContext,
  viewer: Viewer,
  spans: readonly One[],
): Promise<(One & { count: number })[]> {
  const last = spans.at(-1);
  if (last === undefined) return [];
  const starts = [...spans.map(({ from }) => from), last.until];
  const listed = await listedPosts(deps, viewer);
  const published = sql.ref('posts.published_at');
  const counts = await dialectOf(deps.db).countBetween(deps.db, listed, published, starts);
  return spans
    .map((span, place) => ({ ...span, count: counts[place] ?? 0 }))
    .filter(({ count }) => count > 0)
    .reverse();
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
