import type { WebhookFormat } from '../../../contract/webhook-names.ts';

export type WebhookMessage = {
  /** The event's name for programs. */
  type: string;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  site: string;
  text: string;
  /** The page about it. */
  url: string;
  /** The title, if everybody may read the post. */
  title?: string;
};

type Request = { url: URL; method: 'POST' | 'PUT'; headers: Record<string, string>; body: string };

const json = { 'content-type': 'application/json' };

/**
 * The request that a service expects. `id` is the same for each attempt, so that a service shows a message
 * once.
 */
export function requestOf(
  format: WebhookFormat,
  address: string,
  id: string,
  message: WebhookMessage,
): Request {
  const { type, timestamp, ...data } = message;
  const url = new URL(address);
  const line = `${message.site}: ${message.text}\n${message.url}`;
  switch (format) {
    // https://docs.ntfy.sh/publish: the topic is in the address.
    case 'ntfy': {
      const headers = { title: encodedWord(message.site), click: message.url, 'content-type': 'text/plain' };
      return { url, method: 'POST', headers, body: message.text };
    }
    // https://core.telegram.org/bots/api#sendmessage: the bot and the chat are in the address.
    case 'telegram':
      return { url, method: 'POST', headers: json, body: JSON.stringify({ text: line }) };
    // https://spec.matrix.org/latest/client-server-api, "send": the room is in the address.
    case 'matrix': {
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/${id}`;
      return { url, method: 'PUT', headers: json, body: JSON.stringify({ msgtype: 'm.notice', body: line }) };
    }
    case 'json':
      return { url, method: 'POST', headers: json, body: JSON.stringify({ type, timestamp, data }) };
  }
}

/** A text encoded for a header (RFC 2047). */
function encodedWord(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}
