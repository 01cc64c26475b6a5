import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { stagedPath } from '../../files/uploads/staging.ts';

/** A transfer, and the lease of the process that holds it. */
export type Held = { id: string; lease: string };

/**
 * The path of a transfer's file in the data folder of the process that holds it. Each lease has names of its
 * own: files of a killed process are in nobody's way, and a process that wakes up again removes nothing of
 * the next.
 */
export function localPath(config: Config, { id, lease }: Held, name: string): string {
  return stagedPath(config, `${id}.${lease}.${name}`);
}

/** Removes the files that {@link localPath} named for this lease, or for any if none is given. */
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
