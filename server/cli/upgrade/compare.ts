import { cp, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Exported } from '../../moving/archive/export.ts';
import { archiveWith } from '../../moving/archive/source.ts';
import { withCopy } from '../with-copy.ts';
import { findBroken, withServer } from './copy-server.ts';
import { compareCalls, recordedCalls } from './recorded-calls.ts';

/** The folders of the current and the next program, and how long each may take to start. */
export type Versions = { current: string; next: string; withinMs: number };

/**
 * Restores an archive beside it, twice, and starts one version on each copy. Both examine their copy and
 * repeat recent calls. The copies are deleted afterwards. Returns the number of calls, and sentences about
 * differences.
 */
export async function compareVersions(
  { path, key }: Pick<Exported, 'path' | 'key'>,
  { current, next, withinMs }: Versions,
): Promise<{ byMembers: number; byVisitors: number; differences: string[] }> {
  // Two databases, and a third one where the next version migrates its own.
  const options = { prefix: '.upgrade-', databases: 3 } as const;
  return await withCopy(archiveWith(path, key), options, async copy => {
    const { byMembers, byVisitors } = await recordedCalls(copy);
    const older = { folder: current, dataDir: copy.dataDir };
    const newer = { folder: next, dataDir: join(dirname(copy.dataDir), 'newer') };
    const isOwn = (from: string) => basename(from) !== 'files';
    await cp(older.dataDir, newer.dataDir, { recursive: true, filter: isOwn });
    await symlink(join(older.dataDir, 'files'), join(newer.dataDir, 'files'));
    return await withServer(newer, withinMs, newerUrl =>
      withServer(older, withinMs, async olderUrl => {
        const known = await findBroken(older);
        const found = (await findBroken(newer)).filter(line => !known.includes(line));
        const changed = await compareCalls([...byMembers, ...byVisitors], olderUrl, newerUrl);
        return {
          byMembers: byMembers.length,
          byVisitors: byVisitors.length,
          differences: [...found, ...changed],
        };
      }),
    );
  });
}
