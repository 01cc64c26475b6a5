import type { Kysely } from 'kysely';
import { clockToleranceMs } from '../clock.ts';
import type { Tables } from './tables.ts';

type Lease = { now: number; ms: number };
type LeaseName = Tables['leases']['name'];

/**
 * Takes on work that one process is to do for all. Resolves with whether nobody has taken it on in the last `ms`
 * milliseconds; it need not be given back.
 */
export async function takeLease(db: Kysely<Tables>, name: LeaseName, { now, ms }: Lease): Promise<boolean> {
  const taken = await db
    .insertInto('leases')
    .values({ name, until: now + ms })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ until: now + ms })
        // A clock that was set back would put it out of reach.
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

/** How long a process that has died holds what it took on, in milliseconds. */
const heldMs = 5 * 60_000;

/** Runs what one process does for all and takes its time for; does nothing while another one does it. */
export async function whileLeased(
  db: Kysely<Tables>,
  name: LeaseName,
  clock: () => number,
  act: () => Promise<void>,
): Promise<void> {
  if (!(await takeLease(db, name, { now: clock(), ms: heldMs }))) return;
  // The database may be away for a moment: there are four more turns.
  const renew = () => void shareLease(db, name, { now: clock(), ms: heldMs }).catch(() => {});
  const timer = setInterval(renew, heldMs / 5);
  try {
    await act();
  } finally {
    clearInterval(timer);
    await shareLease(db, name, { now: clock(), ms: 0 });
  }
}
