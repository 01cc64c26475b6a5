/** The events that a webhook can receive, each with its name in a list. */
export const webhookEvents = {
  post: 'New post',
  waiting: 'Somebody waits for approval',
  asked: 'A member asks for a post, or proposes somebody',
  reported: 'A comment was reported',
  'backup-failed': 'A backup failed',
} as const;
export type WebhookEvent = keyof typeof webhookEvents;

/** The format of a webhook's messages: that of a service, or JSON for any program. */
export const webhookFormats = {
  ntfy: 'ntfy',
  telegram: 'Telegram',
  matrix: 'Matrix',
  json: 'Another program',
} as const;
export type WebhookFormat = keyof typeof webhookFormats;
