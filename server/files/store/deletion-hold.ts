import { heldMs, isOver, whileRenewed } from '../../db/lease.ts';
import type { DbContext } from '../../db/transaction.ts';

/** The lease that all who read share: each prolongs it. */
const name = 'keep-bytes';

/**
 * Runs `read`, which reads the site's current files: bytes that are deleted meanwhile are kept until a later
 * sweep, and the sweep waits for it. If its process dies, both are delayed by five minutes.
 */
export async function holdDeletions<T>({ db, clock }: DbContext, read: () => Promise<T>): Promise<T> {
  const renew = async () => {
    const until = clock() + heldMs;
    await db
      .insertInto('leases')
      .values({ name, until })
      .onConflict(conflict => conflict.column('name').doUpdateSet({ until }))
      .execute();
  };
  await renew();
  return await whileRenewed(renew, read);
}

/** Whether somebody may still read bytes whose rows are deleted. Check after the row is deleted. */
export async function areDeletionsHeld({ db, clock }: DbContext): Promise<boolean> {
  const held = await db
    .selectFrom('leases')
    .select('name')
    .where('name', '=', name)
    .where(eb => eb.not(isOver('until', { now: clock(), ms: heldMs })))
    .executeTakeFirst();
  return held !== undefined;
}
