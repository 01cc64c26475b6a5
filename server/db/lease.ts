import type { Kysely } from 'kysely';
import { clockToleranceMs } from '../clock.ts';
import type { Tables } from './tables.ts';

type Lease = { now: number; ms: number };
type LeaseName = Tables['leases']['name'];

/**
 * Takes a lease of `ms` milliseconds on work that one process does for all. Resolves with false if another process
 * holds it. It expires by itself.
 */
export async function takeLease(db: Kysely<Tables>, name: LeaseName, { now, ms }: Lease): Promise<boolean> {
  const taken = await db
    .insertInto('leases')
    .values({ name, until: now + ms })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ until: now + ms })
        // If a clock was set back, the lease would otherwise be held far into the future.
        .where(eb =>
          eb.or([eb('leases.until', '<=', now), eb('leases.until', '>', now + ms + clockToleranceMs)]),
        ),
    )
    .returning('name')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Prolongs a lease by `ms` milliseconds even when others hold it: for a lease that several may share. */
export async function shareLease(db: Kysely<Tables>, name: LeaseName, { now, ms }: Lease): Promise<void> {
  await db
    .insertInto('leases')
    .values({ name, until: now + ms })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ until: now + ms }))
    .execute();
}

/** Whether somebody holds a lease that is taken for at most `ms` milliseconds. */
export async function isLeased(db: Kysely<Tables>, name: LeaseName, { now, ms }: Lease): Promise<boolean> {
  const lease = await db.selectFrom('leases').select('until').where('name', '=', name).executeTakeFirst();
  return lease !== undefined && lease.until > now && lease.until <= now + ms + clockToleranceMs;
}

/** How long a lease lasts after the process that holds it has died, in milliseconds. */
const heldMs = 5 * 60_000;

/** Runs long work that one process does for all; does nothing while another process does it. */
export async function whileLeased(
  db: Kysely<Tables>,
  name: LeaseName,
  clock: () => number,
  act: () => Promise<void>,
): Promise<void> {
  if (!(await takeLease(db, name, { now: clock(), ms: heldMs }))) return;
  // If the database is away for a moment, four more attempts follow.
  const renew = () => void shareLease(db, name, { now: clock(), ms: heldMs }).catch(() => {});
  const timer = setInterval(renew, heldMs / 5);
  try {
    await act();
  } finally {
    clearInterval(timer);
    await shareLease(db, name, { now: clock(), ms: 0 });
  }
}
