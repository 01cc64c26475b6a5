const lanes = 8;

/**
 * Runs a function for each item, several at the same time, because a remote store is slow to answer. After a
 * failure it begins with no other item, and throws once what is under way has ended: nothing goes on behind
 * the back of who cleans up.
 */
export async function sideBySide<T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> {
  // Each takes the next one from the same list.
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const work = async () => {
    for (let next = left.next(); !next.done && failures.length === 0; next = left.next()) {
      await act(next.value).catch(error => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  if (failures.length > 0) throw failures[0];
}
