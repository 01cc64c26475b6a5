import type { MiddlewareHandler } from 'hono';
import type { Config } from '../config.ts';
import { outgoingOf } from './request.ts';

/**
 * What every answer says to browsers, whatever it is: an error and a file no less than a page. Pages, files and the
 * documentation replace the policy by one of their own, and say themselves who may keep them; nobody keeps the rest.
 */
export function answerHeaders({ isSecure }: Pick<Config, 'isSecure'>): Record<string, string> {
  return {
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

/**
 * Sets them on Node's own answer before the app makes one: afterwards, they would turn the adapter's light answers into
 * full ones and take a third of a short answer's time. Without a socket they join the finished answer.
 */
export function securityHeaders(config: Config): MiddlewareHandler {
  const headers = Object.entries(answerHeaders(config));
  return async (c, next) => {
    const outgoing = outgoingOf(c);
    if (outgoing !== undefined) {
      for (const [name, value] of headers) outgoing.setHeader(name, value);
      return await next();
    }
    await next();
    for (const [name, value] of headers) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  };
}
