import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { listedPosts } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dateOf, type Span, spanOfDay } from '../base/calendar.ts';
import type { Clock } from '../base/clock.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { readingSettings } from './settings.ts';
import { readTitled, titledPost } from './titles.ts';

/** How many years it looks back, and how many posts it shows. */
const most = { years: 60, posts: 5 };

/**
 * Posts of this day of the site's calendar in earlier years that the viewer may read, the last of each year;
 * none for a viewer who has not chosen to see them.
 */
export async function getOnThisDay(
  deps: ReadContext & { clock: Clock },
  viewer: Viewer,
): Promise<Output<'getOnThisDay'>> {
  const { db, clock } = deps;
  const { showsPast } = await readingSettings(db, accountOf(viewer).id);
  if (!showsPast) return { isShown: false, posts: [] };
  const style = await deps.settings();
  const { timeZone } = style;
  const today = dateOf(clock(), timeZone);
  const days = Array.from({ length: most.years }, (_, index) => today.year - 1 - index).flatMap(
    year => spanOfDay({ ...today, year }, timeZone) ?? [],
  );
  const listed = await listedPosts(deps, viewer);
  const lastOfDay = listed
    .select('posts.id')
    .where(isInSpan)
    .orderBy('posts.published_at', 'desc')
    .orderBy('posts.id', 'desc')
    .limit(1);
  const found = await inEachSpan<string | null>(db, days, lastOfDay);
  const ids = found.filter(id => id !== null).slice(0, most.posts);
  const among = listed.where(dialectOf(db).inList(sql.ref('posts.id'), ids));
  const rows = await readTitled(db, among, { direction: 'desc', limit: most.posts });
  const posts = rows.map(row => ({
    ...titledPost(row, style),
    year: dateOf(row.publishedAt, timeZone).year,
  }));
  return { isShown: true, posts };
}

/** Whether a post was published in the span of the row, as a condition of a query for {@link inEachSpan}. */
const isInSpan = sql<SqlBool>`posts.published_at >= spans.starts_at and posts.published_at < spans.ends_at`;

/**
 * The value of a query for each of these spans, in order: one statement, which looks up each span once in the
 * index of the timeline.
 */
async function inEachSpan<Value>(
  db: Kysely<Tables>,
  spans: readonly Span[],
  query: Expression<unknown>,
): Promise<Value[]> {
  if (spans.length === 0) return [];
  const rows = spans.map(({ from, until }, place) => {
    const start = sql.lit(from);
    const end = sql.lit(until);
    return sql`(${sql.lit(place)}, ${start}, ${end})`;
  });
  const { rows: found } = await sql<{ value: Value }>`
    with spans (place, starts_at, ends_at) as (values ${sql.join(rows)})
    select ${query} as value from spans order by place`.execute(db);
  return found.map(({ value }) => value);
}
