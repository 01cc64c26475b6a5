/** Random numbers that are the same for the same seed: mulberry32 (public domain, Tommy Ettinger). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** The same, but low numbers are far likelier than high ones: a few of everything are popular. */
  skewed(count: number): number {
    return Math.floor(this.next() ** 2.5 * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('There is nothing to pick from.');
    return item;
  }

  /** An id in the form of `createId`, but the same for the same seed. */
  id(): string {
    let id = '';
    for (let length = 0; length < 16; length += 1) id += alphabet[this.below(64)];
    return id;
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
