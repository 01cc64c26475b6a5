import type { Kysely } from 'kysely';
import type { WebhookEvent } from '../../../contract/webhook-names.ts';
import type { Tables } from '../../db/tables.ts';
import type { NewMail } from '../write.ts';

/**
 * Queues the messages to webhooks that subscribe to an event, in its transaction. The same `key` is queued
 * once.
 */
export async function webhookMails(
  trx: Kysely<Tables>,
  event: WebhookEvent,
  key: string,
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
      once: `${event}:${key}:${id}`,
    }));
}
