import { LRUCache } from 'lru-cache';
import type { Changed, ChangeKey, ChangeRecord } from './record.ts';

type Options<T> = {
  /** Above this, what was longest unused is dropped. */
  maxBytes: number;
  /** Bytes of a value, about. */
  sizeOf: (value: T) => number;
  /** How long a value is good at most, in milliseconds; without it until something changes. */
  maxAgeMs?: number;
};

type Entry<T> = { value: T; keys: readonly ChangeKey[] };
type Making<T> = { value: Promise<T | undefined>; changed: Set<ChangeKey>; isSpoiled: boolean };

/** Names what a value is made from; said before the value is done. */
export type MadeFrom = (...keys: ChangeKey[]) => void;

/** What an entry and its place in the indexes take beside its value and key, in bytes. */
const entryBytes = 400;

/**
 * Values that were made from the database, each kept until something that it was made from changes: it names these keys
 * while it is made. The caller has waited for `ChangeRecord.fresh`, so what is found here is as the database was then, or
 * as this process has written it since.
 */
export class Cache<T> {
  readonly #changes: ChangeRecord;
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #madeFrom = new Map<ChangeKey, Set<string>>();
  readonly #makings = new Map<string, Making<T>>();
  readonly #underWay = new Set<Making<T>>();

  constructor(changes: ChangeRecord, { maxBytes, sizeOf, maxAgeMs = 0 }: Options<T>) {
    this.#changes = changes;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      ttl: maxAgeMs,
      sizeCalculation: ({ value, keys }, name) =>
        Math.ceil(sizeOf(value)) + 2 * name.length + 100 * keys.length + entryBytes,
      dispose: ({ keys }, name) => this.#forget(name, keys),
    });
    changes.listen(changed => this.#drop(changed));
  }

  /** The value under a name if it is there. */
  known(name: string): T | undefined {
    return this.#entries.get(name)?.value;
  }

  /**
   * The value under a name, made where there is none; a caller who asks while it is being made waits for it. What `make`
   * throws is not kept, nor is undefined, nor what changed while it was made.
   */
  async get<V extends T | undefined>(name: string, make: (madeFrom: MadeFrom) => Promise<V>): Promise<T | V> {
    for (;;) {
      await this.#changes.afterOwnWrites();
      const entry = this.#entries.get(name);
      if (entry !== undefined) return entry.value;
      const making = this.#makings.get(name);
      if (making === undefined) return await this.#make(name, make);
      // It may have failed because of a limit of the first caller: then it is made for this one.
      const value = await making.value.catch(() => undefined);
      // What has changed since it was begun may have changed before this one asked.
      if (value !== undefined && !making.isSpoiled) return value;
      if (value === undefined) return await this.#make(name, make);
    }
  }

  async #make<V extends T | undefined>(name: string, make: (madeFrom: MadeFrom) => Promise<V>): Promise<V> {
    const keys = new Set<ChangeKey>();
    const value = make((...named) => named.forEach(key => void keys.add(key)));
    const making: Making<T> = { value, changed: new Set(), isSpoiled: false };
    this.#makings.set(name, making);
    this.#underWay.add(making);
    try {
      const made = await value;
      making.isSpoiled ||= [...keys].some(key => making.changed.has(key));
      if (made !== undefined && !making.isSpoiled) this.#keep(name, { value: made, keys: [...keys] });
      return made;
    } finally {
      this.#underWay.delete(making);
      if (this.#makings.get(name) === making) this.#makings.delete(name);
    }
  }

  #keep(name: string, entry: Entry<T>): void {
    this.#entries.set(name, entry);
    if (this.#entries.peek(name) !== entry) return;
    for (const key of entry.keys) {
      const names = this.#madeFrom.get(key);
      if (names === undefined) this.#madeFrom.set(key, new Set([name]));
      else names.add(name);
    }
  }

  #forget(name: string, keys: readonly ChangeKey[]): void {
    for (const key of keys) {
      const names = this.#madeFrom.get(key);
      names?.delete(name);
      if (names?.size === 0) this.#madeFrom.delete(key);
    }
  }

  #drop(changed: Changed): void {
    if (changed === 'all') {
      this.#entries.clear();
      for (const making of this.#underWay) making.isSpoiled = true;
      return;
    }
    for (const key of [...changed, 'anything' as const]) {
      for (const name of [...(this.#madeFrom.get(key) ?? [])]) this.#entries.delete(name);
    }
    for (const making of this.#underWay) {
      making.changed.add('anything');
      for (const key of changed) making.changed.add(key);
    }
  }
}

/** One value that was made from the database, made again once something that it was made from has changed. */
export function cached<T>(
  changes: ChangeRecord,
  make: (madeFrom: MadeFrom) => Promise<T & {}>,
): () => Promise<T & {}> {
  const cache = new Cache<T & {}>(changes, { maxBytes: Number.MAX_SAFE_INTEGER, sizeOf: () => 1 });
  return () => cache.get('', make);
}
