import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';

/**
 * `/healthz`: the process answers. `/readyz`: it can also reach its database, and write to it. Neither tells more. It is
 * asked over the connection of the record of changes: a query that waits for a lock keeps no site from being ready.
 */
export function healthSurface(app: Hono<RequestVariables>, deps: Pick<Deps, 'changes' | 'log'>): void {
  const { changes, log } = deps;
  app.get('/healthz', c => c.text('ok\n'));
  app.get('/readyz', async c => {
    try {
      await changes.fresh();
      if (!changes.isReadOnly) return c.text('ready\n');
      log.error('not ready: the database takes no changes');
      return c.text('not ready\n', 503);
    } catch (error) {
      log.error({ err: error }, 'not ready');
      return c.text('not ready\n', 503);
    }
  });
}
