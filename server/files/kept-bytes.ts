import { isLeased, shareLease } from '../db/lease.ts';
import type { Deps } from '../deps.ts';

/** How long bytes are kept after a process last asked for it, in milliseconds. */
const keptMs = 5 * 60_000;
const renewedMs = 60_000;

/**
 * Runs `read`, which reads the files of a site as they are now: bytes that are deleted meanwhile are kept until a later sweep,
 * and the sweep waits for it. A process that dies in it delays both by five minutes.
 */
export async function whileBytesAreKept<T>(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  read: () => Promise<T>,
): Promise<T> {
  const keep = async () => await shareLease(db, 'keep-bytes', { now: clock(), ms: keptMs });
  await keep();
  // The database may be away for a moment: four more renewals follow before the time is over.
  const timer = setInterval(() => void keep().catch(() => {}), renewedMs);
  try {
    return await read();
  } finally {
    clearInterval(timer);
  }
}

/** Whether somebody may still read bytes whose rows are gone. Ask after the row has gone. */
export async function areBytesKept({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<boolean> {
  return await isLeased(db, 'keep-bytes', { now: clock(), ms: keptMs });
}
