import type { MiddlewareHandler } from 'hono';
import type { Config } from '../config.ts';
import type { RequestVariables } from './request.ts';

/**
 * Refuses requests that change something unless they come from this site's own pages or from a program, and
 * those that come too often. The one-click POST of a mail is exempt: its signed address is enough, whoever
 * sends it.
 */
export function guardWrites({
  config,
  limits,
}: {
  config: Config;
  limits: { countWrite(network: string): Promise<void> };
}): MiddlewareHandler<RequestVariables> {
  let hasWarned = config.hasTrustedProxies;
  return async (c, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) return await next();
    const { path } = c.req;
    const { requestIdentity } = c.var;
    // A configured origin may write with a token; its cookies are ignored (`RequestIdentity.credentials`).
    const isConfigured = config.corsOrigins.includes(c.req.header('origin') ?? '');
    // A page cannot forge a request with a token, because a browser never adds one on its own.
    const hasToken = c.req.header('authorization') !== undefined;
    if (path !== '/unsubscribe' && !isConfigured && !hasToken) requestIdentity.refuseElsewhere();
    const { network } = requestIdentity;
    if (!hasWarned && c.req.header('x-forwarded-for') !== undefined) {
      hasWarned = true;
      c.var.log.warn(
        'requests come through a proxy: name its address in TRUSTED_PROXIES, or limits count all readers as one',
      );
    }
    // Operations are counted by account, and storage.ts counts uploads in its own way.
    if (network !== null && !/^\/(?:api|v0)\//.test(path)) await limits.countWrite(network);
    await next();
  };
}
