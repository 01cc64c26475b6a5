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
 * Sets them before the answer is made, on Node's own answer where there is one: Hono's middleware sets them after, which
 * turns the adapter's light answers into full ones and takes a third of a short answer's time.
 */
export function securityHeaders(config: Config): MiddlewareHandler {
  const headers = Object.entries(answerHeaders(config));
  return async (c, next) => {
    const outgoing = outgoingOf(c);
    for (const [name, value] of headers) {
      if (outgoing === undefined) c.header(name, value);
      else outgoing.setHeader(name, value);
    }
    await next();
  };
}
