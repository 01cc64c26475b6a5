import { LRUCache } from 'lru-cache';
import type { Changes, TableName } from '../db/changes.ts';
import { isOutage } from '../db/outage.ts';

/** Whatever a visitor can be shown comes from these tables. */
const visibleTables: readonly TableName[] = [
  'posts',
  'attachments',
  'likes',
  'comments',
  'tags',
  'default_tags',
  'tag_sets',
  'tag_set_tags',
  'settings',
];
const maxBytes = 64 * 1024 * 1024;

type Entry<T> = { version: number; heard: number; value: T };
/** How long the last known answers are given while the database cannot be reached, in milliseconds. */
const staleMs = 60 * 60_000;

/** Answers to visitors as bytes, dropped when anything changes that a visitor could see. */
export class VisitorCache<T extends { size: number }> {
  readonly #changes: Changes;
  readonly #entries = new LRUCache<string, Entry<T>>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) => value.size + key.length + 200,
  });

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * The answer under a key, made anew when there is none or it is stale. What `make` throws is not kept. While the
   * database cannot be reached, the last answer that was still good then is given for an hour: nobody has heard of a
   * change, and few can be made.
   */
  async get(key: string, make: () => Promise<T>): Promise<T> {
    // Read before the answer is made: a write meanwhile makes it stale at once.
    const version = this.#changes.version(visibleTables);
    const heard = this.#changes.heard(visibleTables);
    const known = this.#entries.get(key);
    if (known?.version === version) return known.value;
    try {
      const value = await make();
      this.#entries.set(key, { version, heard, value });
      return value;
    } catch (error) {
      const blindMs = performance.now() - (this.#changes.blindSince ?? performance.now());
      if (known?.heard === heard && isOutage(error) && blindMs < staleMs) return known.value;
      throw error;
    }
  }
}
