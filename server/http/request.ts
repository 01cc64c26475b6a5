import { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { createId } from '../base/id.ts';
import type { RequestIdentity } from './request-identity.ts';

/** The variables of every request. */
export type RequestVariables = {
  Variables: {
    log: Logger;
    requestIdentity: RequestIdentity;
    /** Whether the limits have already counted the request. */
    isVisitCounted?: boolean;
  };
};

const processId = createId().slice(0, 6);
let requests = 0;
export function nextRequestId(): string {
  requests += 1;
  return `${processId}-${requests}`;
}

/**
 * Gives a request its logger. If requests are logged, it also gets an id, and one line is logged when it has
 * been answered.
 */
export function requestLog(log: Logger): MiddlewareHandler<RequestVariables> {
  const isLogging = log.isLevelEnabled('info');
  return async (c, next) => {
    if (!isLogging) {
      c.set('log', log);
      return await next();
    }
    c.set('log', log.child({ requestId: nextRequestId() }));
    const start = performance.now();
    await next();
    // Only the path: a query can contain a token.
    const { method, path } = c.req;
    c.var.log.info({ method, path, status: c.res.status, ms: since(start) }, 'request');
  };
}

/** Milliseconds with one decimal. */
export function since(start: number): number {
  return Math.round((performance.now() - start) * 10) / 10;
}

/** Node's own request; undefined if it did not come over a socket. */
export function incomingOf(c: Context): IncomingMessage | undefined {
  const incoming: unknown = c.env?.incoming;
  return incoming instanceof IncomingMessage ? incoming : undefined;
}

/** Node's own response; undefined if there is no socket to send it over. */
export function outgoingOf(c: Context): ServerResponse | undefined {
  const outgoing: unknown = c.env?.outgoing;
  return outgoing instanceof ServerResponse ? outgoing : undefined;
}
