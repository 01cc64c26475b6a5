import { type FileHandle, open } from 'node:fs/promises';
import { isSqliteError } from './sqlite-errors.ts';

/**
 * Syncs SQLite's write-ahead log, the file `-wal`, to the disk. With `synchronous = full` SQLite does that
 * itself within each commit, which blocks the whole process. Here the process goes on, and one sync serves
 * all commits so far.
 */
export class SqliteLog {
  readonly #path: string;
  /**
   * Writes the log into the database file, and syncs that to the disk. Returns whether all of it was written.
   */
  readonly #empty: () => boolean;
  #file: FileHandle | undefined;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: unknown;
  #quiet: NodeJS.Timeout | undefined;
  readonly #quietMs: number;

  /** `quietMs`: how long nothing must be committed before the log is emptied. */
  constructor(path: string, empty: () => boolean, quietMs = 5_000) {
    this.#path = path;
    this.#empty = empty;
    this.#quietMs = quietMs;
  }

  /**
   * Resolves once all that was committed before this call survives a power cut. Rejects if it cannot be
   * synced.
   */
  synced(): Promise<void> {
    this.#next ??= this.#syncAfter(this.#underWay);
    this.#emptyWhenQuiet();
    return this.#next;
  }

  /**
   * Like {@link synced}, for a transaction that changed nothing: it begins no sync of its own. It waits for
   * one in progress, because the transaction may have read that commit.
   */
  async settled(): Promise<void> {
    if (this.#failure !== undefined) return await this.synced();
    await (this.#next ?? this.#underWay);
  }

  /** Then a copy of the database file without the log is not an older state of the site. */
  #emptyWhenQuiet(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      // While another process reads or writes, or the disk is full: again later.
      if (!this.#isEmptied()) this.#emptyWhenQuiet();
    }, this.#quietMs).unref();
  }

  #isEmptied(): boolean {
    try {
      return this.#empty();
    } catch (error) {
      if (isSqliteError(error)) return false;
      throw error;
    }
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
    // After a failed sync the system drops the data and reports success for the next one, so a retry proves
    // nothing.
    if (!this.#empty()) throw this.#failure;
    this.#failure = undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.#quiet);
    await this.#next?.catch(() => {});
    await this.#underWay?.catch(() => {});
    await this.#file?.close();
  }
}
