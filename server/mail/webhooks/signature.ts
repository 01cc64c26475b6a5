import { createHmac } from 'node:crypto';
import { sign } from '../../base/secrets.ts';

/** The prefix of every secret of Standard Webhooks (https://www.standardwebhooks.com). */
const prefix = 'whsec_';

/**
 * The secret with which receivers verify this site's messages. Made from the site's own secret, so it is not
 * stored.
 */
export function webhookSecret(secret: string, webhookId: string): string {
  return prefix + Buffer.from(sign(secret, 'webhook', webhookId), 'base64url').toString('base64');
}

/** The headers that sign a body; `now` in milliseconds. */
export function signatureHeaders(
  secret: string,
  { id, body, now }: { id: string; body: string; now: number },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
