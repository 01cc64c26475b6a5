import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/config.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import type { Location } from '../support/site.ts';
import type { World } from './model/world.ts';
import { asCommand, settingsOf } from './server.ts';

type Backup = { file: string; worlds: readonly World[] };

/** The backups of one history, each with the worlds of the model at that time. */
export class Backups {
  readonly #kept = new Map<string, Backup>();
  #folder: string | undefined;

  get names(): string[] {
    return [...this.#kept.keys()];
  }

  get(name: string): Backup | undefined {
    return this.#kept.get(name);
  }

  /** Saves a site while it runs, over separate connections, as `coterie export` does. */
  async make(name: string, location: Location, worlds: readonly World[]): Promise<void> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'coterie-backups-'));
    const file = join(this.#folder, `${name}.tar`);
    await asCommand(location, deps => exportSite(deps, file));
    this.#kept.set(name, { file, worlds: structuredClone(worlds) });
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

/** An archive to be restored: with `--keep-access` access tokens and invitations stay valid. */
export type Archive = { file: string; keepsAccess: boolean };

/** Makes a new site from a backup, as `coterie restore` does. */
export async function restoreTo(location: Location, { file, keepsAccess }: Archive): Promise<void> {
  const config = readConfig(settingsOf(location, 'smtp://127.0.0.1:1'));
  await restoreSite(config, await archiveFile(file), { keepsAccess });
}
