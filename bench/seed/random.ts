import { Random as Choices } from '../../test/prove/random.ts';

/** Choices and values for a seeded site, the same for the same seed. */
export class Random extends Choices {
  /**
   * A whole number from 0 below `count`. Low ones are far likelier than high ones: a few of everything are
   * popular.
   */
  skewed(count: number): number {
    return Math.floor(this.next() ** 2.5 * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  override pick<T>(items: readonly T[]): T {
    const item = super.pick(items);
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
