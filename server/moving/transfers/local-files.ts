import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { stagedPath } from '../../files/uploads/staging.ts';

/** A transfer, and the lease by which one process holds it. */
export type Held = { id: string; lease: string };

/**
 * Where the process that holds a transfer keeps a file of it in its data folder. Each lease has names of its
 * own: what a process that was killed has left is in nobody's way, and one that wakes up again takes nothing
 * from the next.
 */
export function localPath(config: Config, { id, lease }: Held, name: string): string {
  return stagedPath(config, `${id}.${lease}.${name}`);
}

/** Removes the files that {@link localPath} named for this lease, or for any without one. */
export async function removeLocal(
  { config, log }: { config: Config; log: Logger },
  { id, lease }: { id: string; lease?: string },
): Promise<void> {
  const folder = dirname(stagedPath(config, id));
  const beginning = lease === undefined ? `${id}.` : `${id}.${lease}.`;
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter(one => one.startsWith(beginning))) {
    await rm(join(folder, name), { recursive: true, force: true }).catch((error: unknown) =>
      log.warn({ err: error }, 'a file of a transfer was not removed'),
    );
  }
}
