import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Takes on work that one process is to do for all. Resolves with whether nobody has taken it on in the last `ms`
 * milliseconds; it need not be given back.
 */
export async function takeLease(
  db: Kysely<Tables>,
  name: Tables['leases']['name'],
  { now, ms }: { now: number; ms: number },
): Promise<boolean> {
  const taken = await db
    .insertInto('leases')
    .values({ name, until: now + ms })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ until: now + ms })
        // A clock that was set back would put it out of reach.
        .where(eb => eb.or([eb('leases.until', '<=', now), eb('leases.until', '>', now + ms)])),
    )
    .returning('name')
    .executeTakeFirst();
  return taken !== undefined;
}
