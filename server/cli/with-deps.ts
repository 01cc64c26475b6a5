import { readConfig } from '../config.ts';
import type { Deps } from '../deps.ts';
import { createLog, openDeps } from '../start.ts';

/** Runs a command on the site's database and closes it afterwards. */
export async function withDeps<T>(run: (deps: Deps) => Promise<T>): Promise<T> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env });
  const { close, ...deps } = await openDeps(config, createLog(config));
  try {
    return await run(deps);
  } finally {
    await close();
  }
}
