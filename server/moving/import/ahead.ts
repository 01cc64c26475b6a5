import { setImmediate } from 'node:timers/promises';

/**
 * Yields each item with what `make` promises for it, in order. Up to `count` items are read, and `make` runs
 * for them, while the consumer is still busy with an earlier one. If the consumer stops early, it waits for
 * what has begun.
 */
export async function* ahead<Item, Made>(
  items: AsyncIterable<Item>,
  count: number,
  make: (item: Item) => Promise<Made>,
): AsyncGenerator<{ item: Item; made: Promise<Made> }> {
  const iterator = items[Symbol.asyncIterator]();
  const begin = async () => {
    // The consumer goes first: reading fills the time in which it waits for the disk.
    await setImmediate();
    const next = await iterator.next();
    if (next.done) return undefined;
    const made = make(next.value);
    // The consumer gets a rejection when it awaits this; until then it must not count as unhandled.
    made.catch(() => undefined);
    return { item: next.value, made };
  };
  const begun: ReturnType<typeof begin>[] = [];
  try {
    while (true) {
      while (begun.length < count) {
        const one = begin();
        one.catch(() => undefined);
        begun.push(one);
      }
      const first = await begun.shift();
      if (first === undefined) return;
      yield first;
    }
  } finally {
    await Promise.allSettled(begun.map(async one => await (await one)?.made));
    await iterator.return?.();
  }
}
