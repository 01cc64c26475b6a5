import { userInfo } from 'node:os';
import { readConfig } from '../config.ts';
import type { Opening } from '../db/connect.ts';
import { type Actor, type Guards, unguarded } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { openDeps } from '../open-deps.ts';

/** The dependencies of a command. The history records the system user who runs it. */
type CommandDeps = Deps & Guards & { by: Actor };

/** Runs a command on the site's database, which `opening` may allow it to make, and closes it afterwards. */
export async function withDeps<T>(
  opening: Exclude<Opening, 'upgrade'>,
  run: (deps: CommandDeps) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env, { LOG_LEVEL: 'warn' });
  const by: Actor = { user: null, via: 'command-line', viaName: systemUser(), address: null };
  const { close, ...deps } = await openDeps(config, { opening });
  try {
    return await run({ ...deps, ...unguarded, by });
  } finally {
    await close();
  }
}

/** The name of the system user, or the number if it has no name, as in some containers. */
function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return process.getuid?.().toString() ?? null;
  }
}
