import type { MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { createId } from '../id.ts';

/** What every route finds beside its request. */
export type RequestVariables = { Variables: { log: Logger } };

/** Gives a request its id, its logger, and one line in the log when it has been answered. */
export function requestLog(log: Logger): MiddlewareHandler<RequestVariables> {
  const isLogging = log.isLevelEnabled('info');
  const processId = createId().slice(0, 6);
  let requests = 0;
  return async (c, next) => {
    if (!isLogging) {
      c.set('log', log);
      return await next();
    }
    requests += 1;
    c.set('log', log.child({ requestId: `${processId}-${requests}` }));
    const start = performance.now();
    await next();
    // The path alone: a query can hold a token.
    const { method, path } = c.req;
    const ms = Math.round((performance.now() - start) * 10) / 10;
    c.var.log.info({ method, path, status: c.res.status, ms }, 'request');
  };
}
