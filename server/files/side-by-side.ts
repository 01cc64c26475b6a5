const lanes = 8;

/** Does something with each of these, several side by side: a store takes its time for each. */
export async function sideBySide<T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> {
  // Each takes the next one from the same list.
  const left = items[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, work));
}
