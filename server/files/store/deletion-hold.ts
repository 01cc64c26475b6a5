import { heldMs, isLeased, whileShared } from '../../db/lease.ts';
import type { DbContext } from '../../db/transaction.ts';

/**
 * Runs `read`, which reads the files of a site as they are now: bytes that are deleted meanwhile are kept
 * until a later sweep, and the sweep waits for it. A process that dies in it delays both by five minutes.
 */
export async function holdDeletions<T>({ db, clock }: DbContext, read: () => Promise<T>): Promise<T> {
  return await whileShared(db, 'keep-bytes', clock, read);
}

/** Whether somebody may still read bytes whose rows are gone. Ask after the row has gone. */
export async function areDeletionsHeld({ db, clock }: DbContext): Promise<boolean> {
  return await isLeased(db, 'keep-bytes', { now: clock(), ms: heldMs });
}
