const recentNames = 6;

/** Numbers from a seed: the same seed makes the same choices. */
export class Random {
  #state: number;
  #recent: string[] = [];

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1: mulberry32 (public domain, Tommy Ettinger). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)];
  }

  /** Prefers what is remembered: several deeds about one thing find more than one deed about each. */
  pickAgain<T extends { name: string }>(list: readonly T[]): T | undefined {
    const known = list.filter(({ name }) => this.#recent.includes(name));
    return this.pick(known.length > 0 && this.chance(0.5) ? known : list);
  }

  /** Remembers the names that were chosen last. */
  remember(names: readonly string[]): void {
    this.#recent = [...names, ...this.#recent].slice(0, recentNames);
  }

  /** Some of a list, each with the same probability. */
  some<T>(list: readonly T[], probability = 0.5): T[] {
    return list.filter(() => this.chance(probability));
  }

  shuffled<T>(list: readonly T[]): T[] {
    const result = [...list];
    for (let end = result.length - 1; end > 0; end -= 1) {
      const other = this.below(end + 1);
      const [a, b] = [result[end], result[other]];
      if (a !== undefined && b !== undefined) [result[end], result[other]] = [b, a];
    }
    return result;
  }
}
