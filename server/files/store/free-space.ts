import { statfs } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import { filesFolder } from './store.ts';

type FreeBytes = (folder: string) => Promise<number>;
type Space = { blocks: number; bavail: number; bsize: number };

/** With less free space than this nothing useful can be written. Bytes. */
const leastFree = 1024 * 1024;

/** The free bytes for files in a folder; unknown for some network drives, which report no size. */
export async function freeIn(
  folder: string,
  stat: (folder: string) => Promise<Space> = statfs,
): Promise<number> {
  const { blocks, bavail, bsize } = await stat(folder);
  return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY;
}

/** Like {@link freeIn}; unlimited for a folder that does not exist: it is made with the first file. */
export async function freeAround(folder: string, roomIn: FreeBytes = freeIn): Promise<number> {
  return await roomIn(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Number.POSITIVE_INFINITY;
    throw error;
  });
}

/** A sentence for each folder of the site whose disk is full. */
export async function fullDisks(
  config: Pick<Config, 'dataDir' | 'filesUrl'>,
  roomIn: FreeBytes,
): Promise<string[]> {
  const full: string[] = [];
  for (const folder of [config.dataDir, filesFolder(config)]) {
    if (folder === undefined) continue;
    const free = await freeAround(folder, roomIn);
    if (free < leastFree) full.push(`The disk of ${folder} is full: nothing can be saved.`);
  }
  return full;
}
