import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { workOnTransfers } from '../../server/moving/transfers/work.ts';
import { compiled } from '../processes/built.ts';
import type { Person, Site } from './site.ts';
import { upload } from './storage.ts';
import { zipOf } from './zip.ts';

/** How the process of a transfer is started. */
export const starting = {
  program: pathToFileURL(join(inject('programs'), 'transfer-process.js')),
  niceness: 0,
  compileCache: compiled.NODE_COMPILE_CACHE,
};

export const hour = 60 * 60_000;

/** Does what waits, as a process of the site does once a second. */
export const work = (s: Site) => workOnTransfers(s.deps, starting);

export const latest = async (s: Site, admin: Person) => {
  const [first] = (await s.call(admin, 'getTransfers', {})).transfers;
  if (first === undefined) throw new Error('There is no transfer.');
  return first;
};

export const markdown = (posts: Record<string, string>) =>
  zipOf(Object.entries(posts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })));

/** Uploads an archive for an import, and has it checked. Returns the id of the transfer. */
export async function check(
  s: Site,
  admin: Person,
  bytes: Buffer,
  source: 'markdown' | 'mastodon' = 'markdown',
) {
  const { url } = await upload(s, admin, `posts/imports/${bytes.length}_walks.zip`, bytes);
  const files = [{ slot: 'archive', url }];
  return (await s.call(admin, 'checkImport', { source, files })).transferId;
}

/** Names of what lies in the data folder for uploads and in the store of files. */
export const leftIn = async ({ config }: Site) => ({
  uploads: await readdir(join(config.dataDir, 'uploads')).catch(() => []),
  files: await readdir(join(config.dataDir, 'files')).catch(() => []),
});

/** The report of an import or of its dry run. */
export async function reportOf(s: Site, admin: Person, transferId: string) {
  const { report } = await s.call(admin, 'getTransferReport', { transferId });
  if (report === null) throw new Error('There is no report.');
  return report;
}
