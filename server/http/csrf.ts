import type { Context, MiddlewareHandler } from 'hono';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from './request.ts';

/** Configurations for which the warning about a proxy has been logged. */
const warned = new WeakSet<Config>();

/** Warns the operator in the log: behind a proxy that TRUSTED_PROXIES does not name, limits count all readers as one. */
function warnOfProxy(c: Context<RequestVariables>, config: Config): void {
  if (c.req.header('x-forwarded-for') === undefined || config.hasTrustedProxies || warned.has(config)) return;
  warned.add(config);
  c.var.log.warn(
    'requests come through a proxy: name its address in TRUSTED_PROXIES, or limits count all readers as one',
  );
}

/**
 * Refuses requests that change something unless they come from this site's own pages or from a program, and those that
 * come too often. The one-click POST of a mail is exempt: its signed address is enough, whoever sends it.
 */
export function guardWrites({ config, limits }: Deps): MiddlewareHandler<RequestVariables> {
  return async (c, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) return await next();
    const { path } = c.req;
    const { asker } = c.var;
    // A configured origin may write with a token; its cookies are ignored (`Asker.credentials`).
    const isConfigured = config.corsOrigins.includes(c.req.header('origin') ?? '');
    // A request with a token cannot be forged by a page, because a browser never adds one by itself.
    const hasToken = c.req.header('authorization') !== undefined;
    if (path !== '/unsubscribe' && !isConfigured && !hasToken) asker.refuseElsewhere();
    const { peer } = asker;
    warnOfProxy(c, config);
    // Operations are counted by account, and storage.ts counts uploads in its own way.
    if (peer !== null && !/^\/(?:api|v0)\//.test(path)) await limits.takeWrite(peer);
    await next();
  };
}
