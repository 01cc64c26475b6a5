/**
 * Yields each item with what `make` promises for it, in order. `make` runs for up to `count` items at once,
 * while the consumer is still busy with an earlier one. When the consumer stops early, it waits for what has
 * begun.
 */
export async function* ahead<Item, Made>(
  items: AsyncIterable<Item>,
  count: number,
  make: (item: Item) => Promise<Made>,
): AsyncGenerator<{ item: Item; made: Promise<Made> }> {
  const iterator = items[Symbol.asyncIterator]();
  const begun: { item: Item; made: Promise<Made> }[] = [];
  let isEnded = false;
  try {
    while (true) {
      while (!isEnded && begun.length < count) {
        const next = await iterator.next();
        isEnded = next.done === true;
        if (next.done) break;
        const made = make(next.value);
        // The consumer gets the rejection when it awaits this; until then it must not count as unhandled.
        made.catch(() => undefined);
        begun.push({ item: next.value, made });
      }
      const first = begun.shift();
      if (first === undefined) return;
      yield first;
    }
  } finally {
    await Promise.allSettled(begun.map(({ made }) => made));
    await iterator.return?.();
  }
}
