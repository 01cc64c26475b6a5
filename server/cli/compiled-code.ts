import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

/** How long the compiled code of a build that no longer starts is kept, in milliseconds. */
const keptMs = 30 * 86_400_000;

/**
 * Keeps the compiled code of this program in the data folder, as compiling it takes half of a start. Whoever
 * can write there controls the process, so all folders must belong to the user who runs this, and be closed
 * to others; otherwise nothing is kept. `program` is the file of this build that is started.
 */
export function keepCompiledCode(dataDir: string, program: string): void {
  // Where NODE_COMPILE_CACHE names a folder, Node.js has begun to use it.
  if (process.env.NODE_COMPILE_CACHE !== undefined || !belongsToUser(dataDir, 0o022)) return;
  const parent = resolve(dataDir, 'compiled');
  // Each build has files of other names: without a folder of its own, nobody would know what is left of
  // earlier ones.
  const folder = join(parent, `build-${Math.floor(statSync(program).ctimeMs).toString(36)}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!belongsToUser(parent, 0o077) || !belongsToUser(folder, 0o077)) return;
    enableCompileCache(folder);
    removeUnused(parent, folder);
  } catch (error) {
    // A folder that is full, read-only or of another user's: the code is compiled at each start.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Whether a folder is there, is this user's, and gives others none of the permissions in `closed`. */
function belongsToUser(folder: string, closed: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  // Windows has no such numbers and permissions.
  if (process.getuid === undefined) return found.isDirectory();
  const { uid, mode } = found;
  return found.isDirectory() && uid === process.getuid() && (mode & closed) === 0;
}

function removeUnused(parent: string, used: string): void {
  const now = Date.now();
  utimesSync(used, now / 1_000, now / 1_000);
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (now - statSync(folder).mtimeMs > keptMs) rmSync(folder, { recursive: true, force: true });
  }
}
