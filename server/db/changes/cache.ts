import { LRUCache } from 'lru-cache';
import type { ChangeKey } from '../../../contract/change-key.ts';
import { cacheCounts } from '../../base/counters.ts';
import { type CacheName, cacheBytes } from './cache-bytes.ts';
import type { Changed, ChangeRecord } from './record.ts';

type Options<T> = {
  /**
   * Names its memory limit: above it, the least recently used entries are dropped. Without a name there is no
   * limit, and hits are not counted.
   */
  name?: CacheName;
  sizeOf: (value: T) => number;
  /**
   * How long a value is kept at most, in milliseconds; it is not kept for 0 or less. Without it, values are
   * kept until something changes.
   */
  maxAgeMs?: (value: T) => number;
  /** Called for each entry that a change has dropped. */
  onDropped?: (name: string, value: T) => void;
};

type Entry<T> = { value: T; keys: readonly ChangeKey[] };
type Making<T> = { value: Promise<T | undefined>; changed: Set<ChangeKey>; isSpoiled: boolean };

/** Names what a value depends on. Must be called before the value is complete. */
export type DependsOn = (...keys: ChangeKey[]) => void;

/** The size of an entry and of its places in the indexes, without its value and name, in bytes. */
const entryBytes = 400;

/**
 * A cache of values made from the database. A value is kept until one of the keys changes that it depends on;
 * `make` names them. The caller must have waited for `ChangeRecord.caughtUp`: then a cached value is as new
 * as the database was at that moment, or includes what this process has written since.
 */
export class Cache<T> {
  readonly #changes: Changes;
  readonly #onDropped: (name: string, value: T) => void;
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #dependents = new Map<ChangeKey, Set<string>>();
  readonly #makings = new Map<string, Making<T>>();
  readonly #underWay = new Set<Making<T>>();
  readonly #maxAgeMs: ((value: T) => number) | undefined;
  readonly #counts;

  constructor(changes: Changes, { name, sizeOf, maxAgeMs, onDropped = () => {} }: Options<T>) {
    this.#changes = changes;
    this.#maxAgeMs = maxAgeMs;
    this.#onDropped = onDropped;
    this.#entries = new LRUCache({
      maxSize: name === undefined ? Number.MAX_SAFE_INTEGER : cacheBytes(name),
      sizeCalculation: ({ value, keys }, entryName) =>
        Math.ceil(sizeOf(value)) + 2 * entryName.length + 100 * keys.length + entryBytes,
      dispose: ({ keys }, entryName) => this.#forget(entryName, keys),
    });
    this.#counts = cacheCounts(name);
    changes.listen(changed => this.#drop(changed));
  }

  /** The cached value, if any. Pass countsHit: false to leave the hit counter alone. */
  peek(name: string, { countsHit = true } = {}): T | undefined {
    const entry = this.#entries.get(name);
    if (countsHit && entry !== undefined) this.#counts.hits += 1;
    return entry?.value;
  }

  /**
   * The cached value, or the one that `make` makes; concurrent callers wait for the same making. An error or
   * undefined is not cached, nor is a value if something it depends on changed meanwhile.
   */
  async get<V extends T | undefined>(
    name: string,
    make: (dependsOn: DependsOn) => Promise<V>,
  ): Promise<T | V> {
    for (;;) {
      await this.#changes.afterOwnWrites();
      const entry = this.#entries.get(name);
      if (entry !== undefined) {
        this.#counts.hits += 1;
        return entry.value;
      }
      const making = this.#makings.get(name);
      if (making === undefined) return await this.#make(name, make);
      // It may have failed because of a limit of the first caller, so it is made again for this one.
      const value = await making.value.catch(() => undefined);
      // A change since the making began may precede this call, so this caller needs a newer value.
      if (value !== undefined && !making.isSpoiled) return value;
      if (value === undefined) return await this.#make(name, make);
    }
  }

  /**
   * The cached values by name. One call of `makeAll` makes the missing ones; a name that it leaves out has no
   * value. `nameKeys` names the keys that each depends on.
   */
  async getMany(
    names: readonly string[],
    nameKeys: (name: string, dependsOn: DependsOn) => void,
    makeAll: (names: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ): Promise<ReadonlyMap<string, T | undefined>> {
    const found = new Map(names.map(name => [name, this.peek(name)]));
    const missing = names.filter(name => found.get(name) === undefined);
    let making: Promise<ReadonlyMap<string, T>> | undefined;
    let hasBegun = false;
    const getOne = async (name: string) => {
      const value = await this.get(name, async dependsOn => {
        nameKeys(name, dependsOn);
        // This call waited while another made the value. The making below has begun meanwhile, and may be
        // older than the change that made a new value necessary.
        if (hasBegun) return (await makeAll([name])).get(name);
        making ??= Promise.resolve().then(() => {
          hasBegun = true;
          return makeAll(missing);
        });
        return (await making).get(name);
      });
      found.set(name, value);
    };
    await Promise.all(missing.map(getOne));
    return found;
  }

  async #make<V extends T | undefined>(name: string, make: (dependsOn: DependsOn) => Promise<V>): Promise<V> {
    this.#counts.misses += 1;
    const keys = new Set<ChangeKey>();
    const value = make((...named) => named.forEach(key => void keys.add(key)));
    const making: Making<T> = { value, changed: new Set(), isSpoiled: false };
    this.#makings.set(name, making);
    this.#underWay.add(making);
    try {
      const made = await value;
      making.isSpoiled ||= keys.has('now') || [...keys].some(key => making.changed.has(key));
      if (made !== undefined && !making.isSpoiled) this.#keep(name, { value: made, keys: [...keys] });
      return made;
    } finally {
      this.#underWay.delete(making);
      if (this.#makings.get(name) === making) this.#makings.delete(name);
    }
  }

  #keep(name: string, entry: Entry<T>): void {
    const ttl = this.#maxAgeMs?.(entry.value);
    if (ttl !== undefined && ttl <= 0) return;
    this.#entries.set(name, entry, ttl === undefined ? {} : { ttl });
    if (this.#entries.peek(name) !== entry) return;
    this.#counts.entries += 1;
    for (const key of entry.keys) {
      const names = this.#dependents.get(key);
      if (names === undefined) this.#dependents.set(key, new Set([name]));
      else names.add(name);
    }
  }

  #forget(name: string, keys: readonly ChangeKey[]): void {
    this.#counts.entries -= 1;
    for (const key of keys) {
      const names = this.#dependents.get(key);
      names?.delete(name);
      if (names?.size === 0) this.#dependents.delete(key);
    }
  }

  #drop(changed: Changed): void {
    if (changed === 'all') {
      for (const [name, { value }] of this.#entries.entries()) this.#onDropped(name, value);
      this.#entries.clear();
      for (const making of this.#underWay) making.isSpoiled = true;
      return;
    }
    for (const key of [...changed, 'anything' as const]) {
      for (const name of [...(this.#dependents.get(key) ?? [])]) {
        const entry = this.#entries.peek(name);
        this.#entries.delete(name);
        if (entry !== undefined) this.#onDropped(name, entry.value);
      }
    }
    for (const making of this.#underWay) {
      making.changed.add('anything');
      for (const key of changed) making.changed.add(key);
    }
  }
}

/**
 * A cache of one value made from the database: it is made again after something it depends on has changed.
 */
export function cached<T>(
  changes: ChangeRecord,
  make: (dependsOn: DependsOn) => Promise<T & {}>,
): () => Promise<T & {}> {
  const cache = new Cache<T & {}>(changes, { sizeOf: () => 1 });
  return () => cache.get('', make);
}

/** The part of the record of changes that a cache uses. */
export type Changes = Pick<ChangeRecord, 'listen' | 'afterOwnWrites'>;

/**
 * The record of changes for cached pages: changes of counts reach them at most once in `ms` milliseconds, so
 * that a page is not rendered again for each like. All other changes reach them at once.
 */
export function lagCounts(changes: Changes, ms: number): Changes {
  if (ms === 0) return changes;
  return {
    afterOwnWrites: () => changes.afterOwnWrites(),
    listen: listener => {
      let later = new Set<ChangeKey>();
      const tellLater = () => {
        const due = later;
        later = new Set();
        listener(due);
      };
      return changes.listen(changed => {
        if (changed === 'all') return listener(changed);
        const now = new Set<ChangeKey>();
        for (const key of changed) {
          if (!key.startsWith('counts:')) now.add(key);
          else {
            if (later.size === 0) setTimeout(tellLater, ms).unref();
            later.add(key);
          }
        }
        if (now.size > 0) listener(now);
      });
    },
  };
}
