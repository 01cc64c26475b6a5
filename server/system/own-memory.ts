import { readFile } from 'node:fs/promises';

/**
 * The memory that this process takes for itself, in bytes. The resident memory also counts the pages of files
 * that the system drops when it needs room, most of all those of a SQLite database (`mmap_size`). Where the
 * system does not tell them apart, as outside of Linux, it is the resident memory.
 */
export async function ownMemory(
  status: () => Promise<string> = () => readFile('/proc/self/status', 'utf8'),
): Promise<number> {
  const told = await status().catch(() => '');
  const own = ['RssAnon', 'RssShmem'].map(name =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(told)?.[1]),
  );
  const kilobytes = own.reduce((sum, part) => sum + part, 0);
  return Number.isNaN(kilobytes) ? process.memoryUsage.rss() : kilobytes * 1_024;
}
