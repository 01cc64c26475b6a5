import { readConfig } from '../config.ts';
import type { Opening } from '../db/connect.ts';
import type { Deps } from '../deps.ts';
import { createLog, openDeps } from '../open-deps.ts';

/** Runs a command on the site's database, as far as `opening` lets it make one, and closes it afterwards. */
export async function withDeps<T>(
  opening: Exclude<Opening, 'upgrade'>,
  run: (deps: Deps) => Promise<T>,
): Promise<T> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env });
  const { close, ...deps } = await openDeps(config, createLog(config), { opening });
  try {
    return await run(deps);
  } finally {
    await close();
  }
}
