import { createId } from '../../base/id.ts';
import type { MailRow } from '../../db/tables.ts';
import { expandAnnouncement } from '../announce.ts';
import type { MailContext } from '../context.ts';
import { claim, claimedAtOnce, ended, release, unsent, workOn } from '../queue.ts';
import { sendWebhook } from '../webhooks/send.ts';
import { sendPush } from './send.ts';

/** Notifications and webhooks that are sent at a time. */
const workers = 4;

/**
 * Sends the notifications and webhooks that are due, or until this process is to stop. It is apart from the
 * mails: neither waits while the servers of the other are away.
 */
export async function deliverPushes(deps: MailContext): Promise<void> {
  const lease = createId();
  while (!deps.stopping.aborted && (await expandAnnouncement(deps)));
  const take = async (row: MailRow) => {
    const send = row.webhook_id === null ? sendPush : sendWebhook;
    const became = await send(deps, row).then(
      () => ended('sent', deps.clock()),
      (error: unknown) => unsent(row, error, deps.clock()),
    );
    await release(deps, row, lease, became);
    return true;
  };
  while (!deps.stopping.aborted) {
    const mails = await claim(deps, { lease, isPush: true, most: claimedAtOnce });
    if (mails.length === 0) return;
    await workOn(deps, { lease, mails, workers, take });
  }
}
