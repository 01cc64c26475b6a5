import { setTimeout as sleep } from 'node:timers/promises';
import { Outage, outages } from './outage.ts';

/** SQLite's errors, by the low byte of its extended codes. */
const sentences: Readonly<Record<number, string>> = {
  // SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_NOTADB.
  10: outages.gone,
  11: outages.damaged,
  13: outages.full,
  14: outages.gone,
  26: outages.damaged,
};

/** A sentence for an error that is an outage: of SQLite, or of the system about the log. */
export function explain(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('syscall' in error) {
    return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
      ? outages.full
      : outages.gone;
  }
  return isSqliteError(error) ? sentences[Number(error.errcode) & 0xff] : undefined;
}

/** Whether SQLite itself reports an error. */
export function isSqliteError(error: unknown): error is Error & { errcode: unknown } {
  return error instanceof Error && 'errcode' in error;
}

/** The outage for an error of SQLite, or else the error itself. */
export function explained(error: unknown): unknown {
  const message = isSqliteError(error) ? explain(error) : undefined;
  return message === undefined ? error : new Outage(message, error);
}

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
