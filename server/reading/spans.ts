import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Span } from '../base/calendar.ts';
import type { Tables } from '../db/tables.ts';

/** Whether a post was published in the span of the row, as a condition of a query for {@link inEachSpan}. */
export const isInSpan = sql<SqlBool>`posts.published_at >= spans.starts_at and posts.published_at < spans.ends_at`;

/**
 * The value of a query for each of these spans, in order: one statement, which looks up each span once in the
 * index of the timeline.
 */
export async function inEachSpan<Value>(
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
