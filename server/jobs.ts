import { sweepEmailLinks } from './accounts/email.ts';
import { sweepSessions } from './accounts/sessions.ts';
import { sweepChanges } from './db/changes/sweep.ts';
import type { Deps } from './deps.ts';
import { startFileJobs } from './files/jobs.ts';
import { sweepHistory } from './history/write.ts';
import { sweepAttempts } from './limits/attempts.ts';
import { startMailWorker } from './mail/worker.ts';

const sweepEveryMs = 60 * 60_000;
/** Often, so that each sweep is short: on SQLite everybody waits for it. */
const sweepChangesEveryMs = 60_000;

/** Starts what this process does in the background. Returns the function that stops it after what is under way. */
export function startJobs(deps: Deps): () => Promise<void> {
  const sweepAll = () =>
    Promise.all([sweepAttempts(deps), sweepSessions(deps), sweepEmailLinks(deps), sweepHistory(deps)]);
  const stops = [
    startMailWorker(deps),
    startFileJobs(deps),
    every(sweepEveryMs, sweepAll, error =>
      deps.log.error({ err: error }, 'sessions, links, attempts and old history could not be swept'),
    ),
    every(
      sweepChangesEveryMs,
      () => sweepChanges(deps),
      error => deps.log.error({ err: error }, 'the record of changes could not be swept'),
    ),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

/** The database may be away for a moment: the next turn takes what this one left. */
function every(
  ms: number,
  act: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<unknown> {
  let current: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    current = act().catch(onError);
  }, ms);
  return () => {
    clearInterval(timer);
    return current;
  };
}
