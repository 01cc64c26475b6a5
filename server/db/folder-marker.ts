import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { createId } from '../base/id.ts';
import { Outage, outages } from './outage.ts';
import { lockSetting, readSetting, writeSetting } from './setting.ts';
import type { Tables } from './tables.ts';
import { inTransaction, unguarded } from './transaction.ts';

/**
 * A file in each folder in which a site keeps something beside its database. It names the folder, and the
 * database remembers the name: so a folder whose volume is not mounted is not taken for an empty one.
 */
export const markerName = '.coterie-folder';

/** The names of the marked folders: of the files, and of backups by their path. */
type Marked = { files?: string; backups?: Record<string, string> };
type Folder = { kind: 'files' | 'backups'; path: string };

/**
 * The names that this process has read, by path: a name never changes, and a table that is locked must not
 * keep the process from telling that it is ready.
 */
const known = new Map<string, string>();

/** Throws an outage where a folder that was marked has no marker, or another. One that never was passes. */
export async function requireMarker(db: Kysely<Tables>, folder: Folder): Promise<void> {
  const name = known.get(folder.path) ?? nameOf(await readMarked(db), folder);
  if (name !== undefined) known.set(folder.path, name);
  if (name !== undefined && (await readMarker(folder.path)) !== name) throw notMounted(folder);
}

/**
 * Marks a folder that has no marker yet, if `isOurs`; undefined: unknown, so the folder is left unmarked. An
 * empty marker, made by a person, also counts as ours. Throws as {@link requireMarker}.
 */
export async function markFolder(
  db: Kysely<Tables>,
  folder: Folder,
  isOurs: (trx: Kysely<Tables>, wasMarked: boolean) => Promise<boolean | undefined>,
): Promise<void> {
  await inTransaction({ db, ...unguarded }, async trx => {
    // Another process may begin at the same moment.
    await lockSetting(trx, 'folders', '{}');
    const marked = await readMarked(trx);
    const name = nameOf(marked, folder);
    const found = await readMarker(folder.path);
    if (name !== undefined && found === name) {
      known.set(folder.path, name);
      return;
    }
    known.delete(folder.path);
    const isRight = found === '' || (await isOurs(trx, name !== undefined));
    if (isRight === false) throw notMounted(folder);
    if (isRight === undefined) return;
    // A folder of backups may serve several sites.
    const given = found || createId();
    await mkdir(folder.path, { recursive: true, mode: 0o700 });
    await writeFile(join(folder.path, markerName), `${given}\n`, { mode: 0o600 });
    const next: Marked =
      folder.kind === 'files'
        ? { ...marked, files: given }
        : { ...marked, backups: { ...marked.backups, [folder.path]: given } };
    await writeSetting(trx, 'folders', JSON.stringify(next));
    known.set(folder.path, given);
  });
}

/** Whether a data folder without a database holds the files of a site. */
export const hasFilesOfSite = (dataDir: string) => existsSync(join(dataDir, 'files', markerName));

async function readMarked(db: Kysely<Tables>): Promise<Marked> {
  return JSON.parse((await readSetting(db, 'folders')) ?? '{}');
}

function nameOf(marked: Marked, { kind, path }: Folder): string | undefined {
  return kind === 'files' ? marked.files : marked.backups?.[path];
}

/** The name in the marker of a folder, empty for an empty marker, undefined without one. */
async function readMarker(path: string): Promise<string | undefined> {
  return await readFile(join(path, markerName), 'utf8').then(
    text => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw new Outage(outages.folder, error);
    },
  );
}

function notMounted({ kind, path }: Folder): Outage {
  const sentence =
    `${path} is not the folder in which this site keeps its ${kind}: its ${markerName} is missing, or another. Is a ` +
    `volume not mounted? If it is the right folder, make an empty file ${markerName} in it, and start the site again.`;
  return new Outage(outages.folder, new Error(sentence));
}
