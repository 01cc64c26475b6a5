import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../config-error.ts';

/**
 * Makes a folder, with those above it, where there is none. A new one is its owner's alone: who reads the data folder
 * owns the site (docs/security.md). Throws {@link ConfigError} with a sentence that names it.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await make(resolve(folder), 0o700);
  } catch (error) {
    throw new ConfigError(`The folder ${resolve(folder)} cannot be made: ${(error as Error).message}.`);
  }
}

/** One by one: Node's own `recursive` tries for ever where a folder takes no others, as /proc does. */
async function make(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await make(parent, 0o777);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    found => found.isDirectory(),
    () => false,
  );
}
