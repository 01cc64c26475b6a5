import { type FileHandle, open } from 'node:fs/promises';
import { Outage, outages } from './outage.ts';

/**
 * Waits until a file that others write is on the disk. That takes milliseconds, in which SQLite's own `synchronous = full`
 * would hold up the whole process; here all who wait at once share one turn, and nobody else waits.
 */
export class DiskSync {
  readonly #path: string;
  #file: Promise<FileHandle> | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves once the disk has all that was written before this call. Throws an `Outage` where that fails. */
  hasAll(): Promise<void> {
    // The turn under way may have begun before the last write.
    this.#next ??= this.#underWay
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#underWay = this.#sync();
        return this.#underWay;
      });
    return this.#next;
  }

  async #sync(): Promise<void> {
    try {
      this.#file ??= open(this.#path, 'r+');
      await (await this.#file).datasync();
    } catch (error) {
      // The next one tries to open it anew.
      const file = this.#file;
      this.#file = undefined;
      await file?.then(handle => handle.close()).catch(() => {});
      throw new Outage(outages.gone, error);
    }
  }

  async close(): Promise<void> {
    await this.#underWay.catch(() => {});
    await this.#file?.then(handle => handle.close()).catch(() => {});
    this.#file = undefined;
  }
}
