import type { Job } from '../background.ts';
import type { Deps } from '../deps.ts';
import { deliverDue } from './deliver.ts';
import { queueWaitingDigest, sweepMails } from './digest.ts';
import { mailConnections } from './transport.ts';

const tickMs = 1_000;
const digestEveryMs = 60_000;
const sweepEveryMs = 60 * 60_000;
const minPauseMs = 5_000;
const maxPauseMs = 5 * 60_000;

/** Sends mails, queues the digest of what waits, and removes what is sent. */
export function mailJobs(deps: Deps): Job[] {
  let pauseMs = 0;
  let pausedUntil = 0;
  const lengthenPause = () => {
    pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, pauseMs * 2));
  };
  const deliver = async () => {
    if (performance.now() < pausedUntil) return;
    try {
      // After an outage, or after too many connections, the server is tried over one connection.
      const { isServerDown, sent, error } = await deliverDue(deps, pauseMs > 0 ? 1 : mailConnections);
      // A server that took some mails before it refused is asked again soon.
      if (!isServerDown) pauseMs = 0;
      else if (sent > 0) pauseMs = minPauseMs;
      else lengthenPause();
      if (isServerDown) deps.log.warn({ error, pauseMs }, 'mail cannot be sent at present');
    } catch (error) {
      lengthenPause();
      throw error;
    } finally {
      pausedUntil = performance.now() + pauseMs;
    }
  };
  return [
    { everyMs: tickMs, failure: 'the mail queue cannot be worked on at present', run: deliver },
    {
      everyMs: digestEveryMs,
      isAtOnce: true,
      failure: 'the digest of what waits could not be queued',
      run: () => queueWaitingDigest(deps),
    },
    { everyMs: sweepEveryMs, failure: 'old mails could not be swept', run: () => sweepMails(deps) },
  ];
}
