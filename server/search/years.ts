import { type Kysely, sql } from 'kysely';
import type { TagSet } from '../access/audience.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';

/** More would fill the screen. */
const mostYears = 100;

/** The years from the first to the last published post of these combinations, newest first. */
export async function yearsOf(
  db: Kysely<Tables>,
  sets: readonly TagSet[],
  timeZone: string,
): Promise<number[]> {
  const of = (which: 'min' | 'max') => sql`(select ${sql.raw(which)}(published_at) from posts
    where posts.tag_set_id = tag_sets.id and published_at is not null)`;
  // Two look-ups in an index for each combination.
  const ends = db
    .selectFrom('tag_sets')
    .select([of('min').as('first'), of('max').as('last')])
    .where(
      dialectOf(db).inList(
        sql.ref('tag_sets.id'),
        sets.map(set => set.id),
      ),
    );
  const { rows } = await sql<{ first: number | string | null; last: number | string | null }>`
    select min(first) as first, max(last) as last from ${ends} as ends`.execute(db);
  const { first = null, last = null } = rows[0] ?? {};
  if (first === null || last === null) return [];
  const [oldest, newest] = [yearAt(Number(first), timeZone), yearAt(Number(last), timeZone)];
  return Array.from({ length: Math.min(mostYears, newest - oldest + 1) }, (_, index) => newest - index);
}

const yearAt = (time: number, timeZone: string) => new Date(clockAt(time, timeZone)).getUTCFullYear();

/** What the clocks of a time zone show, as the time at which those of UTC show it. */
function clockAt(time: number, timeZone: string): number {
  return Date.parse(`${new Date(time).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
}

/** When a year begins in a time zone. Milliseconds. */
export function startOfYear(year: number, timeZone: string): number {
  const inUtc = Date.UTC(year, 0, 1);
  return inUtc - (clockAt(inUtc, timeZone) - inUtc);
}
