import type { Deps } from '../deps.ts';
import { deliverDue } from './deliver.ts';
import { queueWaitingDigest, sweepMails } from './digest.ts';
import { mailConnections } from './transport.ts';

const tickMs = 1_000;
const digestEveryMs = 60_000;
const sweepEveryMs = 60 * 60_000;
const minPauseMs = 5_000;
const maxPauseMs = 5 * 60_000;

/** Sends mail in the background of this process. Returns the function that stops it after what is under way. */
export function startMailWorker(deps: Deps): () => Promise<void> {
  const { log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let pauseMs = 0;
  let digestAt = 0;
  let sweepAt = performance.now() + sweepEveryMs;

  const tick = async () => {
    const now = performance.now();
    try {
      if (now >= digestAt) {
        digestAt = now + digestEveryMs;
        await queueWaitingDigest(deps);
      }
      if (now >= sweepAt) {
        sweepAt = now + sweepEveryMs;
        await sweepMails(deps);
      }
      // One that was away, or refused us because we came with too many, is asked again by one.
      const { isServerDown, sent, error } = await deliverDue(deps, pauseMs > 0 ? 1 : mailConnections);
      // One that takes some mails before it closes the door is asked again soon.
      pauseMs = !isServerDown
        ? 0
        : sent > 0
          ? minPauseMs
          : Math.min(maxPauseMs, Math.max(minPauseMs, pauseMs * 2));
      if (isServerDown) log.warn({ error, pauseMs }, 'mail cannot be sent at present');
    } catch (error) {
      // The database may be away for a moment; the queue is still there when it is back.
      pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, pauseMs * 2));
      log.error({ err: error, pauseMs }, 'the mail queue cannot be worked on at present');
    }
  };
  let running: Promise<void> = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      running = tick().then(() => {
        if (!isStopping) schedule();
      });
    }, tickMs + pauseMs);
  };
  schedule();
  return async () => {
    isStopping = true;
    clearTimeout(timer);
    await running;
    deps.mail.close();
  };
}
