import { type FileHandle, open } from 'node:fs/promises';

/**
 * Syncs SQLite's write-ahead log, the file `-wal`, to the disk. With `synchronous = full` SQLite does that itself
 * within each commit, which blocks the whole process. Here the process goes on, and one sync serves all commits up to
 * then.
 */
export class SqliteLog {
  readonly #path: string;
  /** Writes the log into the database file, and syncs that to the disk. Returns whether all of it was written. */
  readonly #empty: () => boolean;
  #file: FileHandle | undefined;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: unknown;

  constructor(path: string, empty: () => boolean) {
    this.#path = path;
    this.#empty = empty;
  }

  /** Resolves once all that was committed before this call survives a power cut. Rejects if it cannot be synced. */
  synced(): Promise<void> {
    this.#next ??= this.#syncAfter(this.#underWay);
    return this.#next;
  }

  async #syncAfter(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => {});
    // Commits from now on need the sync after this one.
    this.#underWay = this.#next;
    this.#next = undefined;
    try {
      this.#file ??= await open(this.#path, 'r+');
      await this.#file.datasync();
    } catch (error) {
      this.#failure = error;
    }
    if (this.#failure === undefined) return;
    // After a failed sync the system drops the data and reports success for the next one, so trying again proves
    // nothing.
    if (!this.#empty()) throw this.#failure;
    this.#failure = undefined;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => {});
    await this.#underWay?.catch(() => {});
    await this.#file?.close();
  }
}
