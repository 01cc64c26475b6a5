/**
 * Each item with what `make` promises for it, in order; it is made for up to `count` items at once, while who asks is still
 * busy with an earlier one. Ends what it has begun when nobody asks any more.
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
        // Who asks for it hears of its failure; until then it is nobody's.
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
