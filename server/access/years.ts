import { type Kysely, sql } from 'kysely';
import { dateOf } from '../base/calendar.ts';
import type { Cache } from '../db/changes/cache.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { idsOf, type TagSet } from './audience.ts';

/** Counts of the posts of some combinations, kept until the timeline changes. */
export type ArchiveCache = { postCaches: { archives: Cache<readonly number[]> } };

/**
 * The years of the site's calendar from the first to the last published post of these combinations, newest
 * first. Other posts must affect neither the result nor the time it takes.
 */
export async function yearsOf(
  { db, postCaches }: { db: Kysely<Tables> } & ArchiveCache,
  sets: readonly TagSet[],
  timeZone: string,
): Promise<readonly number[]> {
  return await postCaches.archives.get(`years ${timeZone} ${idsOf(sets)}`, async dependsOn => {
    dependsOn('timeline');
    return await readYears(db, sets, timeZone);
  });
}

async function readYears(db: Kysely<Tables>, sets: readonly TagSet[], timeZone: string): Promise<number[]> {
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
  const [oldest = 0, newest = 0] = [first, last].map(time => dateOf(Number(time), timeZone).year);
  return Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);
}
