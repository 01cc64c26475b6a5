import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/**
 * The real path of what lies at a path in a folder, whose own real path is `root`. The real place counts: neither `..` nor a
 * symbolic link leads out of the folder. Undefined where there is nothing.
 */
export async function realPathWithin(root: string, path: string): Promise<string | 'outside' | undefined> {
  // A NUL ends a path for the system, and is refused.
  const real = path.includes('\0') ? undefined : await realpath(join(root, path)).catch(() => undefined);
  if (real === undefined) return undefined;
  const within = relative(root, real);
  return within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within) ? 'outside' : real;
}
