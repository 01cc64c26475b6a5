import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { isOwnName } from '../db/data-folder.ts';

/** How long the compiled code of a build that no longer starts is kept, in milliseconds. */
const keptMs = 30 * 86_400_000;

/**
 * Keeps the compiled code of this program in the data folder, because compiling takes half of a start.
 * Anybody who can write there controls the process, so all folders must belong to the user who runs this and
 * be closed to others; otherwise nothing is kept, nor in a folder of something else. `program` is the started
 * file of this build.
 */
export function keepCompiledCode(dataDir: string, program: string): void {
  // With NODE_COMPILE_CACHE set, Node.js already uses its folder.
  if (process.env.NODE_COMPILE_CACHE !== undefined || !belongsToUser(dataDir, 0o022)) return;
  const parent = resolve(dataDir, 'compiled');
  // The files of each build have other names: without a folder of its own, nobody could tell what earlier
  // builds left.
  const folder = join(parent, `build-${Math.floor(statSync(program).ctimeMs).toString(36)}`);
  try {
    if (isForeign(dataDir)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!belongsToUser(parent, 0o077) || !belongsToUser(folder, 0o077)) return;
    enableCompileCache(folder);
    removeUnused(parent, folder);
  } catch (error) {
    // The folder is full, read-only or another user's: then the code is compiled at each start.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Whether a folder exists, belongs to this user, and gives others none of the permissions in `closed`. */
function belongsToUser(folder: string, closed: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  // Windows has no such ids and permissions.
  if (process.getuid === undefined) return found.isDirectory();
  const { uid, mode } = found;
  return found.isDirectory() && uid === process.getuid() && (mode & closed) === 0;
}

/** Whether a folder has contents, but none of a site: `restore` says that it changes nothing in it. */
function isForeign(folder: string): boolean {
  const names = readdirSync(folder);
  return names.length > 0 && !names.some(name => name === 'compiled' || isOwnName(name));
}

function removeUnused(parent: string, used: string): void {
  const now = Date.now();
  utimesSync(used, now / 1_000, now / 1_000);
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (now - statSync(folder).mtimeMs > keptMs) rmSync(folder, { recursive: true, force: true });
  }
}
