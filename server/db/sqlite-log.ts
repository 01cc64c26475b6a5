import { type FileHandle, open } from 'node:fs/promises';

/**
 * Brings SQLite's log, the file `-wal`, to the disk. With `synchronous = full` SQLite does that itself within each commit,
 * and the whole process stands still meanwhile; here it goes on, and one write to the disk serves all who have committed
 * by then.
 */
export class SqliteLog {
  readonly #path: string;
  /** Writes what the log holds into the database file, and that to the disk; whether all of it could be. */
  readonly #empty: () => boolean;
  #file: FileHandle | undefined;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: unknown;

  constructor(path: string, empty: () => boolean) {
    this.#path = path;
    this.#empty = empty;
  }

  /** Resolves once all that was committed before this call outlives a power cut. Rejects where that cannot be had. */
  synced(): Promise<void> {
    this.#next ??= this.#syncAfter(this.#underWay);
    return this.#next;
  }

  async #syncAfter(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => {});
    // Whoever commits from now on asks for the one after this.
    this.#underWay = this.#next;
    this.#next = undefined;
    try {
      this.#file ??= await open(this.#path, 'r+');
      await this.#file.datasync();
    } catch (error) {
      this.#failure = error;
    }
    if (this.#failure === undefined) return;
    // What a system could not write it forgets, and says of the next try that it has gone well.
    if (!this.#empty()) throw this.#failure;
    this.#failure = undefined;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => {});
    await this.#underWay?.catch(() => {});
    await this.#file?.close();
  }
}
