import type { Hono } from 'hono';
import { ConfigError } from '../config-error.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';

/** How long it is remembered that the store of files takes our settings, in milliseconds. */
const storeCheckedMs = 10_000;

/**
 * `/healthz`: the process answers. `/readyz`: it can also reach its database, and write to it, its store of files takes its
 * settings, and it does not stop. Neither tells more. It is asked over the connection of the record of changes: a query
 * that waits for a lock keeps no site from being ready. Nor does a store that cannot be reached: then texts are still read.
 */
export function healthSurface(app: Hono<RequestVariables>, deps: HealthDeps): void {
  const { changes, log, draining } = deps;
  const checkStore = storeCheck(deps);
  app.get('/healthz', c => c.text('ok\n'));
  app.get('/readyz', async c => {
    try {
      if (draining.aborted) return c.text('stopping\n', 503);
      await Promise.all([changes.fresh(), checkStore()]);
      if (!changes.isReadOnly) return c.text('ready\n');
      log.error('not ready: the database takes no changes');
      return c.text('not ready\n', 503);
    } catch (error) {
      log.error({ err: error }, 'not ready');
      return c.text('not ready\n', 503);
    }
  });
}

type HealthDeps = Pick<Deps, 'changes' | 'log' | 'files' | 'clock' | 'draining'>;

/** Throws while the store refuses the settings; asks it once in a while, whoever asks how often. */
function storeCheck({ files, clock }: Pick<HealthDeps, 'files' | 'clock'>): () => Promise<void> {
  let checked: { at: number; result: Promise<void> } | undefined;
  return async () => {
    if (checked === undefined || clock() - checked.at > storeCheckedMs) {
      checked = { at: clock(), result: files.check() };
    }
    await checked.result.catch((error: unknown) => {
      if (error instanceof ConfigError) throw error;
    });
  };
}
