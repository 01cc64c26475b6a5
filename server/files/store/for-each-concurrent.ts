const atOnce = 8;

/**
 * Calls a function for each item, `atOnce` at a time, because a remote store is slow to answer. After a
 * failure it starts no more calls, and throws once the running ones have ended: no work is still running when
 * the caller cleans up.
 */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  act: (item: T) => Promise<void>,
): Promise<void> {
  // Each worker takes the next item from the same iterator.
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const work = async () => {
    for (let next = left.next(); !next.done && failures.length === 0; next = left.next()) {
      await act(next.value).catch(error => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw failures[0];
}
