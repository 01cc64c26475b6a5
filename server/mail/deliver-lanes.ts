import { createId } from '../base/id.ts';
import type { MailRow } from '../db/tables.ts';
import { expandAnnouncements } from './announce.ts';
import type { MailContext } from './context.ts';
import { sendPush } from './push/send.ts';
import { claim, claimedAtOnce, ended, type Lane, release, unsent, workOn } from './queue.ts';
import { sendWebhook } from './webhooks/send.ts';

/** Sends due notifications until none is left or the process is stopping. */
export async function deliverPushes(deps: MailContext): Promise<void> {
  await deliverLane(deps, 'push', sendPush);
}

/** Sends due webhooks until none is left or the process is stopping. */
export async function deliverWebhooks(deps: MailContext): Promise<void> {
  await deliverLane(deps, 'webhook', sendWebhook);
}

async function deliverLane(deps: MailContext, lane: Lane, send: typeof sendPush): Promise<void> {
  const lease = createId();
  await expandAnnouncements(deps);
  const take = async (row: MailRow) => {
    const became = await send(deps, row).then(
      () => ended('sent', deps.clock()),
      (error: unknown) => unsent(row, error, deps.clock()),
    );
    await release(deps, row, lease, became);
    return true;
  };
  while (!deps.stopping.aborted) {
    const mails = await claim(deps, { lease, lane, most: claimedAtOnce });
    if (mails.length === 0) return;
    // All at once: a slow service of one browser holds up as few of the others as it can.
    await workOn(deps, { lease, mails, workers: mails.length, take });
  }
}
