import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { clockToleranceMs } from '../base/clock.ts';
import { createId } from '../base/id.ts';
import type { Tables } from './tables.ts';

type Lease = { now: number; ms: number };
type LeaseName = Tables['leases']['name'];

/**
 * The condition that the time in a column, which was set at most `ms` milliseconds ahead (such as the end of
 * a lease), is over or was never set. A time further ahead was set before a clock was set back, and counts as
 * over, too; the tolerance is for processes whose clocks differ.
 */
export function isOver(column: string, { now, ms }: Lease): RawBuilder<SqlBool> {
  const until = sql.ref(column);
  return sql<SqlBool>`(${until} is null or ${until} <= ${now} or ${until} > ${now + ms + clockToleranceMs})`;
}

/**
 * Takes a lease of `ms` milliseconds on work that one process does for all. False if another process holds
 * it. It expires unless its `holder` renews it.
 */
export async function takeLease(
  db: Kysely<Tables>,
  name: LeaseName,
  { now, ms }: Lease,
  holder: string | null = null,
): Promise<boolean> {
  const taken = await db
    .insertInto('leases')
    .values({ name, until: now + ms, holder })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ until: now + ms, holder })
        .where(isOver('leases.until', { now, ms })),
    )
    .returning('name')
    .executeTakeFirst();
  return taken !== undefined;
}

/** How long a lease lasts after the process that holds it has died, in milliseconds. */
export const heldMs = 5 * 60_000;

/** Runs long work that one process does for all; does nothing while another process does it. */
export async function whileLeased(
  db: Kysely<Tables>,
  name: LeaseName,
  clock: () => number,
  act: () => Promise<void>,
): Promise<void> {
  const holder = createId();
  if (!(await takeLease(db, name, { now: clock(), ms: heldMs }, holder))) return;
  // Not if another process has taken the lease meanwhile, as after a long pause of this one.
  const held = db.updateTable('leases').where('name', '=', name).where('holder', '=', holder);
  const renew = async () => void (await held.set({ until: clock() + heldMs }).execute());
  try {
    await whileRenewed(renew, act);
  } finally {
    // Without its holder, so that a renewal which is still on its way finds nothing to renew.
    await held.set({ until: clock(), holder: null }).execute();
  }
}

/** Renews what lasts for {@link heldMs} while `act` runs. */
export async function whileRenewed<T>(renew: () => Promise<void>, act: () => Promise<T>): Promise<T> {
  const stopRenewing = keepRenewed(renew, heldMs / 5, () => {});
  try {
    return await act();
  } finally {
    stopRenewing();
  }
}

/**
 * Renews a claim at intervals shorter than its duration. A failed renewal, as while the database is away for
 * a moment, is reported to `onFailure`, and the next one tries again. Returns a function that ends it.
 */
export function keepRenewed(
  renew: () => Promise<void>,
  everyMs: number,
  onFailure: (error: unknown) => void,
): () => void {
  const timer = setInterval(() => void renew().catch(onFailure), everyMs);
  return () => clearInterval(timer);
}
