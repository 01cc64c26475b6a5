import type { Kysely } from 'kysely';
import type { WebhookEvent } from '../../../contract/webhook-names.ts';
import type { Tables } from '../../db/tables.ts';
import type { NewMail } from '../write.ts';

/**
 * What tells each webhook that wants it of an event, to be queued in the transaction that makes it. `what`
 * makes it the same event.
 */
export async function webhookMails(
  trx: Kysely<Tables>,
  event: WebhookEvent,
  what: string,
  postId?: string,
): Promise<NewMail[]> {
  const webhooks = await trx.selectFrom('webhooks').select(['id', 'events']).execute();
  return webhooks
    .filter(({ events }) => events.split(' ').includes(event))
    .map(({ id }) => ({
      kind: event,
      userId: null,
      webhookId: id,
      ...(postId !== undefined && { postId }),
      once: `${event}:${what}:${id}`,
    }));
}
