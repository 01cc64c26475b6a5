import type { BrowserCopy } from './browser-copy.ts';
import type { CopyStore } from './replace-text.ts';

/**
 * How long typing must pause before a copy is stored, and how long that is delayed at most, in milliseconds.
 */
const restMs = 400;
const mostMs = 2_000;

export type CopyState = 'none' | 'stored' | 'failed';

type Written = { key: string; copy: Omit<BrowserCopy, 'savedAt'> | null };

/** Stores the text of an editor in this browser, always the newest. */
export class CopyWriter {
  readonly #store: Pick<CopyStore, 'put' | 'drop' | 'now'>;
  readonly #show: (state: CopyState) => void;
  #written: Written = { key: '', copy: null };
  /** Since when the text is newer than what is stored, or being stored. */
  #waitingSince: number | undefined;
  #isThere = false;
  #isStopped = false;
  #last: Promise<boolean> = Promise.resolve(true);

  constructor(store: Pick<CopyStore, 'put' | 'drop' | 'now'>, show: (state: CopyState) => void) {
    this.#store = store;
    this.#show = show;
  }

  /**
   * Takes the current text. Returns when to store it, in milliseconds from now; undefined if there is no
   * need.
   */
  take(written: Written): number | undefined {
    this.#written = written;
    if (written.copy === null && !this.#isThere) {
      this.#waitingSince = undefined;
      return undefined;
    }
    const now = this.#store.now();
    this.#waitingSince ??= now;
    return Math.min(restMs, Math.max(0, this.#waitingSince + mostMs - now));
  }

  /**
   * Stores the current text, if that is not under way already. Resolves with false if the browser has no room
   * for it.
   */
  async store(): Promise<boolean> {
    if (this.#waitingSince !== undefined && !this.#isStopped) this.#last = this.#write();
    this.#waitingSince = undefined;
    return await this.#last;
  }

  /** Stores nothing from now on. */
  stop(): void {
    this.#isStopped = true;
  }

  async #write(): Promise<boolean> {
    const { key, copy } = this.#written;
    this.#isThere = copy !== null;
    if (copy === null) {
      this.#show('none');
      await this.#store.drop(key);
      return true;
    }
    const isKept = await this.#store.put(key, { ...copy, savedAt: this.#store.now() });
    this.#show(isKept ? 'stored' : 'failed');
    return isKept;
  }
}
