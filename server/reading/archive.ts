import { sql } from 'kysely';
import type { Input, Output } from '../../contract/operations.ts';
import { idsOf, type TagSet } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { listedIn, listedPosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { type ArchiveCache, yearsOf } from '../access/years.ts';
import { dateOf, type Span, spanOf } from '../base/calendar.ts';
import { dialectOf } from '../db/dialect.ts';
import { pageOf } from '../db/page.ts';
import { readTitled, titledPost } from './titles.ts';

const titlesPerPage = 100;

/**
 * The number of the timeline's posts that the viewer may read, by year and month of the site's calendar, and
 * the titles of a year or month, a page at a time. Throws invalid-argument for an invalid cursor.
 */
export async function getArchive(
  deps: ReadContext & ArchiveCache,
  viewer: Viewer,
  { year: asked, month, after }: Input<'getArchive'>,
): Promise<Output<'getArchive'>> {
  const { timeZone, dateLanguage } = await deps.settings();
  const sets = (await deps.catalogue()).readableSets(viewer);
  const years = await yearsOf(deps, sets, timeZone);
  const newest = await countPosts(deps, sets, years, asked ?? years[0] ?? null);
  const year = asked ?? newest.years[0]?.year ?? null;
  // The last years may only have pages that the timeline does not show.
  const isOfNewest = year === (asked ?? years[0] ?? null);
  const counted = isOfNewest ? newest : await countPosts(deps, sets, years, year);
  const titles =
    year === null
      ? { posts: [], nextCursor: null }
      : await listTitles(deps, viewer, spanOf(year, month ?? undefined, timeZone), after);
  return { ...counted, year, monthNames: monthNames(dateLanguage), ...titles };
}

const months = Array.from({ length: 12 }, (_, index) => index + 1);

/** The names of the months of the Gregorian calendar, by which the archive counts. */
function monthNames(language: string): string[] {
  const options = { month: 'long', calendar: 'gregory', timeZone: 'UTC' } as const;
  const format = new Intl.DateTimeFormat(language, options);
  return months.map(month => format.format(Date.UTC(2000, month - 1)));
}

/** The number of posts of these combinations in these years, and in the months of `year`, newest first. */
async function countPosts(
  deps: ReadContext & ArchiveCache,
  sets: readonly TagSet[],
  years: readonly number[],
  year: number | null,
): Promise<Pick<Output<'getArchive'>, 'years' | 'months'>> {
  const { timeZone } = await deps.settings();
  const spans = years
    .toReversed()
    .flatMap(each => (each === year ? months : [undefined]).map(month => ({ year: each, month })))
    .map(({ year, month }) => ({ year, month, ...spanOf(year, month, timeZone) }));
  const last = spans.at(-1);
  if (last === undefined) return { years: [], months: [] };
  // Each begins where the previous one ends.
  const starts = [...spans.map(({ from }) => from), last.until];
  const counted = year !== null && years.includes(year) ? year : '';
  const name = `${counted} of ${years.at(-1)} to ${years[0]} ${timeZone} ${idsOf(sets)}`;
  const counts = await deps.postCaches.archives.get(name, dependsOn => {
    dependsOn('timeline');
    const published = sql.ref('posts.published_at');
    return dialectOf(deps.db).countBetween(deps.db, listedIn(deps.db, sets), published, starts);
  });
  const byYear = new Map<number, number>();
  const ofMonths: { month: number; count: number }[] = [];
  for (const [place, span] of spans.entries()) {
    const count = counts[place] ?? 0;
    if (count === 0) continue;
    byYear.set(span.year, (byYear.get(span.year) ?? 0) + count);
    if (span.month !== undefined) ofMonths.push({ month: span.month, count });
  }
  return {
    years: [...byYear].map(([each, count]) => ({ year: each, count })).reverse(),
    months: ofMonths.reverse(),
  };
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
