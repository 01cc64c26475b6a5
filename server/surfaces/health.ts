import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hono } from 'hono';
import { ConfigError } from '../base/config-error.ts';
import type { Deps } from '../deps.ts';
import { freeIn, fullDisks } from '../files/store/free-space.ts';
import type { RequestVariables } from '../http/request.ts';

/** How long the result of checking the settings of the file store is reused, in milliseconds. */
const storeCheckedMs = 10_000;

/**
 * `/healthz`: the process answers. `/readyz`: it can also reach its database and write to it, no query has
 * found that damaged, the file store accepts its settings, and the process is not stopping. Neither reveals
 * more. The database is checked over the connection of the record of changes, so a query that waits for a
 * lock does not make the site unready. Nor does an unreachable file store: posts can be read without it.
 */
export function healthSurface(app: Hono<RequestVariables>, deps: HealthDeps, roomIn = freeIn): void {
  const { changes, config, log, draining } = deps;
  const checkStore = storeCheck(deps);
  app.get('/healthz', c => c.text('ok\n'));
  app.get('/readyz', async c => {
    if (draining.aborted) return c.text('stopping\n', 503);
    try {
      await Promise.all([changes.caughtUp(), checkStore(), requireDisk(config, roomIn)]);
      if (changes.damage !== undefined) throw changes.damage;
      if (changes.isReadOnly) throw new Error('The database takes no changes.');
      return c.text('ready\n');
    } catch (error) {
      log.error({ err: error }, 'not ready');
      return c.text('not ready\n', 503);
    }
  });
}

type HealthDeps = Pick<Deps, 'changes' | 'config' | 'log' | 'files' | 'clock' | 'draining'>;

/** Throws if the disk of a folder is full, or if the database file is missing. */
async function requireDisk(config: HealthDeps['config'], roomIn: typeof freeIn): Promise<void> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl === undefined) await access(join(dataDir, 'coterie.db'));
  const [full] = await fullDisks(config, roomIn);
  if (full !== undefined) throw new Error(full);
}

/** How long `/readyz` waits for the store, in milliseconds. */
const storeWaitMs = 2_000;

/**
 * A check that throws while the file store rejects the settings. It calls the store only once in a while,
 * however often it is called itself.
 */
function storeCheck({ files, clock }: Pick<HealthDeps, 'files' | 'clock'>): () => Promise<void> {
  let checked: { at: number; result: Promise<void> } | undefined;
  return async () => {
    if (checked === undefined || clock() - checked.at > storeCheckedMs) {
      checked = { at: clock(), result: files.check() };
    }
    // A check that waits for a locked table says nothing about the store.
    const said = checked.result.catch((error: unknown) => {
      if (error instanceof ConfigError) throw error;
    });
    await Promise.race([said, sleep(storeWaitMs, undefined, { ref: false })]);
  };
}
