import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';

/** `/healthz`: the process answers. `/readyz`: it can also reach its database. Neither tells more. */
export function healthSurface(app: Hono<RequestVariables>, { db, log }: Pick<Deps, 'db' | 'log'>): void {
  app.get('/healthz', c => c.text('ok\n'));
  app.get('/readyz', async c => {
    try {
      await db.selectFrom('settings').select('name').limit(1).execute();
      return c.text('ready\n');
    } catch (error) {
      log.error({ err: error }, 'not ready');
      return c.text('not ready\n', 503);
    }
  });
}
