import { isLeased, shareLease } from '../db/lease.ts';
import type { Deps } from '../deps.ts';

type Keeping = Pick<Deps, 'db' | 'clock'>;

/** How long bytes are kept after the last wish, in milliseconds. */
const keptMs = 5 * 60_000;
const renewedMs = 60_000;

/**
 * Runs what reads the files of a site as they are now: bytes that are deleted meanwhile stay until the sweep comes, which
 * waits, too. A process that dies in it holds them five minutes longer.
 */
export async function whileBytesAreKept<T>({ db, clock }: Keeping, read: () => Promise<T>): Promise<T> {
  const keep = async () => await shareLease(db, 'keep-bytes', { now: clock(), ms: keptMs });
  await keep();
  // The database may be away for a moment: there are four more turns.
  const timer = setInterval(() => void keep().catch(() => {}), renewedMs);
  try {
    return await read();
  } finally {
    clearInterval(timer);
  }
}

/** Whether somebody may still read bytes whose rows are gone. Ask after the row has gone. */
export async function areBytesKept({ db, clock }: Keeping): Promise<boolean> {
  return await isLeased(db, 'keep-bytes', { now: clock(), ms: keptMs });
}
