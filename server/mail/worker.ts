import type { Job } from '../base/background.ts';
import type { MailContext } from './context.ts';
import { deliverDue } from './deliver.ts';
import { deliverPushes, deliverWebhooks } from './deliver-lanes.ts';
import { queueAdminDigests } from './digest.ts';
import { Pace } from './pace.ts';
import { sweepMails } from './queue.ts';
import { sweepReplyAddresses } from './reply-address.ts';
import { mailConnections } from './transport.ts';
import { queueDigests } from './wishes/digests.ts';

const tickMs = 1_000;
const digestEveryMs = 60_000;
const sweepEveryMs = 60 * 60_000;
/**
 * Sends mails, notifications and webhooks, queues the admins' digests, and deletes old mails. `now` is a
 * monotonic time in milliseconds.
 */
export function mailJobs(deps: MailContext, now: () => number = () => performance.now()): Job[] {
  const pace = new Pace();
  const deliver = async () => {
    const begun = now();
    if (pace.isPausedAt(begun)) return;
    try {
      // After an outage, or after too many connections, the server is tried over one connection.
      const connections = pace.pauseMs > 0 ? 1 : mailConnections;
      const { isTooFast = false, error, ...run } = await deliverDue(deps, connections, pace.most);
      const ended = now();
      pace.learn(ended, { ...run, isTooFast, seconds: (ended - begun) / 1_000 });
      if (run.isServerDown) deps.log.warn({ error, pauseMs: pace.pauseMs }, 'mail cannot be sent at present');
    } catch (error) {
      pace.lengthenPause(now());
      throw error;
    }
  };
  return [
    { everyMs: tickMs, failure: 'the mail queue cannot be worked on at present', run: deliver },
    {
      everyMs: tickMs,
      failure: 'notifications cannot be sent at present',
      run: () => deliverPushes(deps),
    },
    {
      everyMs: tickMs,
      failure: 'webhooks cannot be sent at present',
      run: () => deliverWebhooks(deps),
    },
    {
      everyMs: digestEveryMs,
      isAtOnce: true,
      failure: 'the digests of what waits for an admin could not be queued',
      run: () => queueAdminDigests(deps),
    },
    {
      everyMs: digestEveryMs,
      isAtOnce: true,
      failure: 'the digests of new posts could not be queued',
      run: () => queueDigests(deps),
    },
    { everyMs: sweepEveryMs, failure: 'old mails could not be swept', run: () => sweepMails(deps) },
    {
      everyMs: sweepEveryMs,
      failure: 'old addresses for answers could not be swept',
      run: () => sweepReplyAddresses(deps),
    },
  ];
}
