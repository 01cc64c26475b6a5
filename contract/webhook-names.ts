/** The events of which a webhook can be sent a message, each with its name in a list. */
export const webhookEvents = {
  post: 'New post',
  waiting: 'Somebody waits for approval',
  asked: 'A member asks for a post, or proposes somebody',
  reported: 'A comment was reported',
  'backup-failed': 'A backup failed',
} as const;
export type WebhookEvent = keyof typeof webhookEvents;

/** The service whose format the messages of a webhook have, or JSON for any program. */
export const webhookFormats = {
  ntfy: 'ntfy',
  telegram: 'Telegram',
  matrix: 'Matrix',
  json: 'Another program',
} as const;
export type WebhookFormat = keyof typeof webhookFormats;
