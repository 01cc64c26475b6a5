import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';

/**
 * Makes a folder for `use` that only this user can read; its name starts with `prefix`. It is removed
 * afterwards, even if the process exits meanwhile.
 */
export async function withTemporaryFolder<T>(
  prefix: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(prefix);
  const removeNow = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', removeNow);
  try {
    return await use(folder);
  } finally {
    process.off('exit', removeNow);
    await rm(folder, { recursive: true, force: true });
  }
}
