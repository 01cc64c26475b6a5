import { LRUCache } from 'lru-cache';
import type { Changes, TableName } from './changes.ts';

/** `size` in bytes, about. */
type Sized = { size: number };

/**
 * Values by key that were made from tables: all dropped when one of these has changed, and those longest unused when
 * they are more than `maxBytes`. Who asks for one that is being made waits for it.
 */
export class Kept<T extends Sized> {
  readonly #changes: Changes;
  readonly #tables: readonly TableName[];
  readonly #values: LRUCache<string, T>;
  readonly #making = new Map<string, Promise<T>>();
  #version: number | undefined;

  constructor(changes: Changes, tables: readonly TableName[], maxBytes: number) {
    this.#changes = changes;
    this.#tables = tables;
    this.#values = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ size }, key) => size + key.length + 200,
    });
  }

  /** The value under a key, made where there is none. What `make` throws is not kept. */
  async get(key: string, make: () => Promise<T>): Promise<T> {
    return this.known(key) ?? this.#making.get(key) ?? (await this.#make(key, make));
  }

  /** The value under a key if it is there, and as it stands now. */
  known(key: string): T | undefined {
    const version = this.#changes.version(this.#tables);
    if (version !== this.#version) {
      this.#version = version;
      this.#values.clear();
      this.#making.clear();
    }
    return this.#values.get(key);
  }

  async #make(key: string, make: () => Promise<T>): Promise<T> {
    // The version was read before: what is written while the value is made drops it.
    const making = make();
    this.#making.set(key, making);
    try {
      const value = await making;
      if (this.#making.get(key) === making) this.#values.set(key, value);
      return value;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }
}
