import { heldMs, isLeased, whileShared } from '../../db/lease.ts';
import type { DbContext } from '../../db/transaction.ts';

/**
 * Runs `read`, which reads the site's current files: bytes that are deleted meanwhile are kept until a later
 * sweep, and the sweep waits for it. If its process dies, both are delayed by five minutes.
 */
export async function holdDeletions<T>({ db, clock }: DbContext, read: () => Promise<T>): Promise<T> {
  return await whileShared(db, 'keep-bytes', clock, read);
}

/** Whether somebody may still read bytes whose rows are deleted. Check after the row is deleted. */
export async function areDeletionsHeld({ db, clock }: DbContext): Promise<boolean> {
  return await isLeased(db, 'keep-bytes', { now: clock(), ms: heldMs });
}
