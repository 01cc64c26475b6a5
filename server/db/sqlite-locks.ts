import { setTimeout as sleep } from 'node:timers/promises';
import { Outage } from './outage.ts';
import { isSqliteError } from './sqlite-errors.ts';

/** How long a write waits for another process that has locked the database, in milliseconds. */
const lockWaitMs = 5_000;
const lockRetryMs = 20;

/** Runs a statement, waiting without blocking the process while another one has locked the database. */
export async function untilUnlocked<T>(run: () => T): Promise<T> {
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (performance.now() > deadline) {
        throw new Outage('The database is busy. Please try again in a moment.', error);
      }
      await sleep(lockRetryMs);
    }
  }
}

/** SQLITE_BUSY, in the low byte of its extended codes. */
export function isLocked(error: unknown): boolean {
  return isSqliteError(error) && (Number(error.errcode) & 0xff) === 5;
}
