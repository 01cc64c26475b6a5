import { sweepEmailLinks } from './accounts/email.ts';
import { sweepSessions } from './accounts/sessions.ts';
import type { Deps } from './deps.ts';
import { startFileJobs } from './files/jobs.ts';
import { sweepAttempts } from './limits/attempts.ts';
import { startMailWorker } from './mail/worker.ts';

const sweepEveryMs = 60 * 60_000;

/** Starts what this process does in the background. Returns the function that stops it after what is under way. */
export function startJobs(deps: Deps): () => Promise<void> {
  const stopMail = startMailWorker(deps);
  const stopFileJobs = startFileJobs(deps);
  let sweeping: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    sweeping = Promise.all([sweepAttempts(deps), sweepSessions(deps), sweepEmailLinks(deps)]).catch(error => {
      // The database may be away for a moment; the next sweep takes what this one left.
      deps.log.error({ err: error }, 'sessions, links and attempts could not be swept');
    });
  }, sweepEveryMs);
  return async () => {
    clearInterval(timer);
    await Promise.all([stopMail(), stopFileJobs(), sweeping]);
  };
}
