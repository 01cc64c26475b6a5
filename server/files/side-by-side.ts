const lanes = 8;

/** Runs a function for each item, several at the same time, because a remote store is slow to answer. */
export async function sideBySide<T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> {
  // Each takes the next one from the same list.
  const left = items[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, work));
}
