import { LRUCache } from 'lru-cache';
import type { Changes, TableName } from '../db/changes.ts';

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

type Entry<T> = { version: number; value: T };

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

  /** The answer under a key, made anew when there is none or it is stale. What `make` throws is not kept. */
  async get(key: string, make: () => Promise<T>): Promise<T> {
    // Read before the answer is made: a write meanwhile makes it stale at once.
    const version = this.#changes.version(visibleTables);
    const known = this.#entries.get(key);
    if (known?.version === version) return known.value;
    const value = await make();
    this.#entries.set(key, { version, value });
    return value;
  }
}
