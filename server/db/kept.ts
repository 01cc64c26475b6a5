import { LRUCache } from 'lru-cache';
import type { Changes, TableName } from './changes.ts';
import { isOutage } from './outage.ts';

/** `size` in bytes, about. */
type Sized = { size: number };
/** `version` and `heard` of the tables when the value was begun: a write meanwhile makes it stale at once. */
type Entry<T> = { version: number; heard: number; value: T };

/** How long the last known values are given while the database cannot be reached, in milliseconds. */
const staleMs = 60 * 60_000;

/**
 * Values by key that were made from tables: each stale once one of these has changed, and those longest unused dropped
 * when they are more than `maxBytes`. Who asks for one that is being made waits for it.
 */
export class Kept<T extends Sized> {
  readonly #changes: Changes;
  readonly #tables: readonly TableName[];
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #making = new Map<string, { version: number; value: Promise<T> }>();

  constructor(changes: Changes, tables: readonly TableName[], maxBytes: number) {
    this.#changes = changes;
    this.#tables = tables;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ value }, key) => value.size + key.length + 200,
    });
  }

  /**
   * The value under a key, made where there is none. What `make` throws is not kept. While the database cannot be
   * reached, the last value that was still good then is given for an hour: nobody has heard of a change, and few can be
   * made.
   */
  async get(key: string, make: () => Promise<T>): Promise<T> {
    const version = this.#changes.version(this.#tables);
    const entry = this.#entries.get(key);
    if (entry?.version === version) return entry.value;
    const making = this.#making.get(key);
    if (making?.version === version) {
      // What failed may have failed for whoever asked first, by a limit of theirs: then it is made for this one.
      const value = await making.value.catch(() => undefined);
      if (value !== undefined) return value;
    }
    const heard = this.#changes.heard(this.#tables);
    try {
      return await this.#make(key, { version, heard }, make);
    } catch (error) {
      const blindMs = performance.now() - (this.#changes.blindSince ?? performance.now());
      if (entry?.heard === heard && isOutage(error) && blindMs < staleMs) return entry.value;
      throw error;
    }
  }

  /** The value under a key if it is there, and as it stands now. */
  known(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry?.version === this.#changes.version(this.#tables) ? entry.value : undefined;
  }

  async #make(key: string, begun: Omit<Entry<T>, 'value'>, make: () => Promise<T>): Promise<T> {
    const making = { version: begun.version, value: make() };
    this.#making.set(key, making);
    try {
      const value = await making.value;
      this.#entries.set(key, { ...begun, value });
      return value;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }
}
