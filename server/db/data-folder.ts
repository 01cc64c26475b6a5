import { statSync } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../base/config-error.ts';

/** Throws {@link ConfigError} if the path of a data folder leads to a file, or below one. */
export function requireFolderAt(path: string): void {
  if (isFileOrBelow(path)) throw new ConfigError(`DATA_DIR is ${resolve(path)}, which is no folder.`);
}

function isFileOrBelow(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
  }
}

/**
 * Makes a folder and its parents if they are missing. Only the user who runs the program may open a new one:
 * a reader of the data folder controls the site (docs/security.md). Throws {@link ConfigError} with a
 * sentence that names the folder.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await make(resolve(folder), 0o700);
  } catch (error) {
    throw new ConfigError(`The folder ${resolve(folder)} cannot be made: ${(error as Error).message}.`);
  }
}

/**
 * Whether Coterie uses this name in a data folder: the database with its log, its backups, files, uploads,
 * mails and reports.
 */
export const isOwnName = (name: string) =>
  /^(?:coterie\.db(?:-\w+)?|backups|files|uploads|mail|reports)$/.test(name);

/**
 * Restricts the contents of a data folder that existed before, or that an older version made, to their owner.
 * The folder itself keeps its permissions: it may serve other purposes, too. Throws if a file belongs to
 * another user.
 */
export async function closeToOthers(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch(() => []);
  for (const name of names.filter(isOwnName)) {
    const path = join(dataDir, name);
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) await chmod(path, mode & 0o700);
  }
}

/**
 * Makes one folder after another: Node's `recursive` hangs in a folder that allows no subfolders, such as
 * /proc.
 */
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
