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
 * A file in each folder in which a site keeps data besides its database. It names the folder, and the
 * database stores the name: so a folder whose volume is not mounted is not mistaken for an empty one.
 */
export const markerName = '.coterie-folder';

/** The names of the marked folders: of the files, and of backups by their path. */
type Marked = { files?: string; backups?: Record<string, string> };
type Folder = { kind: 'files' | 'backups'; path: string };

export class FolderMarker {
  readonly #db: Kysely<Tables>;
  readonly #folder: Folder;
  /**
   * The name in the database, once the folder was found to have it: a locked table must not keep the process
   * from reporting that it is ready.
   */
  #name: string | undefined;

  constructor(db: Kysely<Tables>, folder: Folder) {
    this.#db = db;
    this.#folder = folder;
  }

  /**
   * Throws an outage if a folder that was marked has no marker, or another one. A folder that was never
   * marked passes.
   */
  async require(): Promise<void> {
    const found = await readMarker(this.#folder.path);
    if (found !== undefined && found === this.#name) return;
    const name = nameOf(await readMarked(this.#db), this.#folder);
    if (name !== undefined && found !== name) throw notMounted(this.#folder);
    this.#name = name;
  }

  /**
   * Marks a folder that has no marker yet, if `isOurs`; undefined: unknown, so the folder is left unmarked.
   * An empty marker, made by a person, also counts as ours. Throws as {@link FolderMarker.require}.
   */
  async mark(
    isOurs: (trx: Kysely<Tables>, wasMarked: boolean) => Promise<boolean | undefined>,
  ): Promise<void> {
    const folder = this.#folder;
    await inTransaction({ db: this.#db, ...unguarded }, async trx => {
      // Another process may do this at the same moment.
      await lockSetting(trx, 'folders', '{}');
      const marked = await readMarked(trx);
      const name = nameOf(marked, folder);
      const found = await readMarker(folder.path);
      if (name !== undefined && found === name) return;
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
    });
  }
}

/** Whether a data folder without a database has the files of a site. */
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
