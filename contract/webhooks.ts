import { z } from 'zod';
import { operation } from './operation.ts';
import { Id, Moment, storable, visible, writtenName } from './values.ts';
import { type WebhookEvent, type WebhookFormat, webhookEvents, webhookFormats } from './webhook-names.ts';

const Event = z.enum(Object.keys(webhookEvents) as [WebhookEvent, ...WebhookEvent[]]);
const Format = z.enum(Object.keys(webhookFormats) as [WebhookFormat, ...WebhookFormat[]]);

/** A message that was sent to a webhook or waits to be sent. */
const Delivery = z.object({
  id: Id,
  event: Event,
  state: z.enum(['queued', 'sent', 'dropped', 'failed']),
  /** Why it was not sent, or not yet. */
  error: z.string().nullable(),
  createdAt: Moment,
});

const Webhook = z.object({
  id: Id,
  name: z.string(),
  format: Format,
  /** The host of its address; the rest may contain a key and is not shown again. */
  host: z.string(),
  events: z.array(Event),
  createdAt: Moment,
  /** Newest first. */
  deliveries: z.array(Delivery),
});

const Address = storable('The address')
  .max(2_000, 'The address is too long.')
  .refine(
    text => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    'The address must begin with https:// or http://.',
  );
/** A token as it appears in a header. */
const Token = z
  .string()
  .max(1_000)
  .regex(/^[\x21-\x7e]*$/, 'The access token contains characters that no token has.');

export const webhookOperations = {
  getWebhooks: operation({
    for: 'admin',
    scope: 'members',
    summary: 'The webhooks and their last deliveries.',
    output: z.object({ webhooks: z.array(Webhook) }),
  }),
  addWebhook: operation({
    for: 'admin',
    scope: 'none',
    summary:
      'Adds a webhook, to which events are sent from now on. Its signing secret is returned only here.',
    input: z.strictObject({
      name: writtenName('The name of a webhook', 100).pipe(
        visible('A name')
          .min(1, 'A webhook needs a name.')
          .max(100, 'The name of a webhook has at most 100 characters.'),
      ),
      format: Format,
      url: Address,
      /** Sent as `Authorization: Bearer`; empty for none. */
      token: Token.default(''),
      events: z.array(Event).min(1, 'Choose at least one event.').max(Event.options.length),
    }),
    output: z.object({ webhook: Webhook, secret: z.string() }),
  }),
  testWebhook: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Sends a test to a webhook immediately. Fails with the reason if its server does not take it.',
    input: z.strictObject({ webhookId: Id }),
  }),
  removeWebhook: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Removes a webhook. Safe to repeat.',
    input: z.strictObject({ webhookId: Id }),
  }),
};
